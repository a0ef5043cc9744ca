// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How a part of libadp says that something failed: an errno value for programs, words for people,
// and the firmware's own answer where it was the firmware that refused.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace adp {

// The answer of the firmware to a command it refused (mlx5 command mailbox, output dwords 0 and 1).
struct fw_status {
    std::uint16_t opcode = 0;
    std::uint8_t status = 0;
    std::uint32_t syndrome = 0;
    std::uint16_t register_id = 0;
};

struct error {
    int code = 0;       // errno value, never 0
    std::string reason; // what happened, without subject ("firmware refused: status 0x3 ...")
    std::string remedy; // what to do about it; may be empty
    fw_status fw{};     // opcode 0: not a firmware refusal
};

// A value, or why there is none.
template <typename T> class [[nodiscard]] result {
  public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(error err) : state_(std::in_place_index<1>, std::move(err)) {}

    explicit operator bool() const noexcept { return state_.index() == 0; }
    T &operator*() & { return std::get<0>(state_); }
    const T &operator*() const & { return std::get<0>(state_); }
    T &&operator*() && { return std::get<0>(std::move(state_)); }
    T *operator->() { return &std::get<0>(state_); }
    const T *operator->() const { return &std::get<0>(state_); }
    const struct error &err() const & { return std::get<1>(state_); }
    struct error &&err() && { return std::get<1>(std::move(state_)); }

  private:
    std::variant<T, struct error> state_;
};

template <> class [[nodiscard]] result<void> {
  public:
    result() = default;
    result(error err) : error_(std::move(err)) {}

    explicit operator bool() const noexcept { return error_.code == 0; }
    const struct error &err() const & { return error_; }
    struct error &&err() && { return std::move(error_); }

  private:
    struct error error_;
};

} // namespace adp
