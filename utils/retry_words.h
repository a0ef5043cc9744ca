// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the commands of adp retry share: a setting in anybody's words, the profile of a file or a
// device, readings of the ADP text, times, and how answers are put into a record.
#pragma once

#include "command.h"

#include "retry/model.h"
#include "retry/stack_words.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::cli {

[[noreturn]] void refuse_retry(const error &e);

// The words of a command, one after the other.
class word_cursor {
  public:
    word_cursor(const std::vector<std::string> &words, std::string command)
        : words_(words), command_(std::move(command))
    {
    }
    bool more() const { return at_ < words_.size(); }
    const std::string &next() { return words_[at_++]; }
    // Takes the next word when it is this one.
    bool take(const std::string &word);
    // Arguments of the word before; a failure names what is missing or wrong.
    const std::string &text(const std::string &what);
    std::uint64_t time(const std::string &what);                      // nanoseconds
    std::uint64_t count(const std::string &what, std::uint64_t most); // a whole number
    std::uint64_t share(const std::string &what); // "1%", "0.01", "1e-6": parts of 10^9
    const std::string &command() const { return command_; }

  private:
    const std::vector<std::string> &words_;
    std::string command_;
    std::size_t at_ = 0;
};

// What a device says about the models that hold for it.
struct retry_device {
    std::string name, pci, path;
    bool simulated = false;
    bool adp_enabled = true; // roce_adp_retrans_en
    bool floor_off = false;  // min_ack_timeout_limit_disabled
    bool profiles = false;   // the firmware has ADP profiles
    std::uint32_t profile_id = 0;
    std::optional<adp_profile> profile; // the active one, where it is not the firmware's own

    retry::model_id follows() const;
};
retry_device ask_device(run &r, const std::string &dev);
// dev, pci, path, simulated: what every element about a device has.
void identify(record &element, const retry_device &device);

// A setting, with all that a model needs.
struct retry_words {
    retry::setting_reading setting;
    std::optional<adp_profile> profile;
    retry::adp_readings readings;
    std::optional<retry_device> device;
    std::vector<retry::note> profile_notes; // what is foolish about the profile

    retry::model_request request() const;
    // The model to take where none is named.
    retry::model_id likely_model() const;
    // Notes on the setting, its words and its traps.
    std::vector<retry::note> notes() const;
};

// Reads `profile FILE`, `dev DEV`, `reading NAME=VALUE` and a setting. own: words of the command
// itself; returns false for a word that is not one. Each word stands once, but for those of `often`.
using own_words = std::function<bool(const std::string &word, word_cursor &words)>;
retry_words read_retry_words(run &r, const std::vector<std::string> &words,
                             const std::string &command, const own_words &own = {},
                             std::initializer_list<std::string_view> often = {});

json ms_of(std::uint64_t ns); // null: never
inline constexpr const char *never_reason = "never";
json notes_of(const std::vector<retry::note> &notes);
void show_notes(record &element, const std::vector<retry::note> &notes,
                const std::string &margin = {});
std::string answer_text(const retry::model_answer &a); // "470 ms (469 ms .. 1.88 s)"
std::string setting_text(const retry::qp_setting &qp);

// A model's name with a mark where its answer is not simply a rule: * somebody measured it,
// ? nobody did.
std::string marked_name(const retry::model_answer &a);

// What the marks stand for: a line each below the answers.
class footnotes {
  public:
    void take(const retry::model_answer &a);
    void show(record &element) const;

  private:
    std::vector<std::string> lines_;
};

} // namespace adp::cli
