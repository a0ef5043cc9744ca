// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Whole settings from words, and back.
#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/stack_words.h"

#include <algorithm>
#include <cerrno>

namespace adp::retry {

namespace {

unsigned &member(qp_setting &qp, attribute a)
{
    switch (a) {
    case attribute::retry_cnt: return qp.retry_cnt;
    case attribute::rnr_retry: return qp.rnr_retry;
    case attribute::min_rnr_timer: return qp.min_rnr_timer;
    default: return qp.timeout;
    }
}

bool own_word(std::string_view w)
{
    return w == "timeout" || w == "retry_cnt" || w == "rnr_retry" || w == "min_rnr_timer" ||
           w == "extended_retry_cnt";
}

class reader {
  public:
    reader(std::span<const std::string_view> words, const qp_setting &start)
        : words_(words), start_(start)
    {
    }

    result<setting_reading> run()
    {
        while (at_ < words_.size()) {
            const result<void> r = one();
            if (!r)
                return r.err();
        }
        return finish();
    }

  private:
    result<void> one()
    {
        const std::string_view word = words_[at_++];
        if ((find_stack(word) != nullptr && find_stack(word)->stack == "perftest") ||
            word.ends_with("_bw") || word.ends_with("_lat"))
            return perftest();
        if (word == "--mca" || word == "-mca") {
            if (at_ + 1 >= words_.size())
                return error{EINVAL, std::string(word) + " wants a name and a value", "", {}};
            const std::string_view name = words_[at_++];
            return take(name, words_[at_++]);
        }
        if (const std::size_t eq = word.find('='); eq != std::string_view::npos)
            return take(word.substr(0, eq), word.substr(eq + 1));
        if (own_word(word)) {
            if (at_ >= words_.size())
                return error{EINVAL, "'" + std::string(word) + "' wants a value", "", {}};
            return take(word, words_[at_++]);
        }
        if (const stack_defaults *s = find_stack(word)) {
            return name(*s);
        }
        const result<word_reading> r = read_word(word, at_ < words_.size() ? words_[at_] : "");
        if (!r)
            return r.err();
        if (at_ >= words_.size()) // a stack that takes an empty value was not given one
            return error{EINVAL, "'" + std::string(word) + "' wants a value", "", {}};
        at_++;
        return keep(*r);
    }

    result<void> name(const stack_defaults &stack)
    {
        if (named_ != nullptr)
            return error{EINVAL,
                         std::string(named_->stack) + " and " + std::string(stack.stack) +
                             ": one stack is expected",
                         "a queue pair has its setting from one of them",
                         {}};
        stack_ = named_ = &stack;
        return {};
    }

    // The words of a perftest command line; everything that has nothing to do with us is passed over.
    result<void> perftest()
    {
        if (const result<void> named = name(*find_stack("perftest")); !named)
            return named;
        bool cm = false;
        bool timeout = false;
        bool count = false;
        while (at_ < words_.size()) {
            const std::string_view w = words_[at_];
            // Our own words and other stacks' variables end it.
            if (own_word(w) || (w.substr(0, 1) != "-" && w.find('=') != std::string_view::npos))
                break;
            at_++;
            std::string_view name = w.substr(0, w.find('='));
            if (w == "-R" || w == "--rdma_cm") {
                cm = true;
                continue;
            }
            if (name != "-u" && name != "--qp-timeout" && name != "--retry_count")
                continue;
            std::string_view value;
            if (w.size() > name.size())
                value = w.substr(name.size() + 1);
            else if (at_ < words_.size())
                value = words_[at_++];
            const result<word_reading> r = read_word(name, value);
            if (!r)
                return r.err();
            timeout = timeout || r->attr == attribute::timeout;
            count = count || r->attr == attribute::retry_cnt;
            // Of an option that stands twice getopt(3) takes the last.
            std::erase_if(out_.words, [&r](const word_reading &before) {
                return before.stack == r->stack && before.attr == r->attr;
            });
            if (const result<void> kept = keep(*r); !kept)
                return kept.err();
        }
        if (cm) {
            const unsigned by_cm = cm_timeout(16, cm_kernel::new_lifetime, {});
            if (timeout) {
                cm_timeout_ = by_cm;
                out_.notes.push_back(
                    {trap::version, "-u had no effect with -R before the fixes of late 2024: the "
                                    "queue pair then has RDMA-CM's value, " +
                                        std::to_string(by_cm) + " or " + std::to_string(by_cm + 1) +
                                        "; check the queue pair itself"});
            } else {
                start_timeout_ = by_cm;
                out_.notes.push_back(
                    {trap::version,
                     "with -R the timeout is RDMA-CM's: " + std::to_string(by_cm) + ", or " +
                         std::to_string(by_cm + 1) +
                         " before about kernel 6.2; since the fixes of late 2024 perftest may "
                         "set its own 14: check the queue pair itself"});
            }
        } else if (count) {
            std::erase_if(out_.words,
                          [](const word_reading &r) { return r.word == "--retry_count"; });
            out_.notes.push_back({trap::no_effect,
                                  "--retry_count works with -R only: the queue pair "
                                  "has 7"});
        }
        return {};
    }

    result<void> take(std::string_view name, std::string_view value)
    {
        if (name == "extended_retry_cnt") {
            const result<std::uint64_t> n = parse_number(value);
            if (!n)
                return n.err();
            if (extended_)
                return twice(name, name);
            if (*n > 0xffff)
                return error{
                    EINVAL, "extended_retry_cnt " + std::to_string(*n) + " is too large", "", {}};
            extended_ = static_cast<unsigned>(*n);
            return {};
        }
        const result<word_reading> r = read_word(name, value);
        if (!r)
            return r.err();
        return keep(*r);
    }

    static error twice(std::string_view one, std::string_view other)
    {
        return {EINVAL,
                one == other ? std::string(one) + " stands there twice"
                             : std::string(one) + " and " + std::string(other) + " set the same",
                "give it once",
                {}};
    }

    // Our own words win over those of a stack; two of a kind are a contradiction.
    result<void> keep(const word_reading &r)
    {
        for (const word_reading &before : out_.words)
            if (before.word == r.word || (before.attr == r.attr && r.attr != attribute::none &&
                                          before.stack.empty() == r.stack.empty()))
                return twice(before.word, r.word);
        if (!r.stack.empty()) {
            const stack_defaults *const s = find_stack(r.stack);
            if (stack_ != nullptr && s != stack_)
                out_.notes.push_back({trap::info, "words of " + std::string(stack_->stack) +
                                                      " and " + std::string(r.stack) +
                                                      " together: the last one's defaults count"});
            stack_ = s;
        }
        out_.words.push_back(r);
        return {};
    }

    setting_reading finish()
    {
        out_.qp = stack_ != nullptr ? stack_->qp : start_;
        if (start_timeout_)
            out_.qp.timeout = *start_timeout_;
        out_.qp.extended_retry_cnt = extended_ ? *extended_ : start_.extended_retry_cnt;
        qp_setting field = out_.qp;
        bool differs = false;
        for (const bool own : {false, true}) {
            for (const word_reading &r : out_.words) {
                if (r.attr == attribute::none || r.stack.empty() != own)
                    continue;
                member(out_.qp, r.attr) = r.value;
                member(field, r.attr) = r.by_field.value_or(r.value);
            }
        }
        if (cm_timeout_)
            field.timeout = *cm_timeout_;
        differs = field != out_.qp;
        if (differs)
            out_.by_field = field;
        if (stack_ != nullptr) {
            out_.stack = stack_->stack;
            if (out_.words.empty() && !stack_->text.empty())
                out_.notes.push_back(
                    {trap::info, std::string(stack_->stack) + ": " + std::string(stack_->text)});
        }
        return std::move(out_);
    }

    std::span<const std::string_view> words_;
    std::size_t at_ = 0;
    qp_setting start_;
    const stack_defaults *stack_ = nullptr;
    const stack_defaults *named_ = nullptr; // by a word of its own
    std::optional<unsigned> extended_;
    std::optional<unsigned> cm_timeout_;
    std::optional<unsigned> start_timeout_;
    setting_reading out_;
};

} // namespace

result<setting_reading> read_setting(std::span<const std::string_view> words,
                                     const qp_setting &start)
{
    return reader(words, start).run();
}

std::vector<std::string> write_setting(std::string_view stack, const qp_setting &qp)
{
    std::vector<std::string> out;
    const auto add = [&out](std::string_view variable, const std::string &value) {
        out.push_back(std::string(variable) + "=" + value);
    };
    const stack_defaults *const found = find_stack(stack);
    const std::string_view name = found != nullptr ? found->stack : std::string_view{};
    const std::string timeout = std::to_string(qp.timeout);
    const std::string count = std::to_string(qp.retry_cnt);
    if (name == "NCCL") {
        add("NCCL_IB_TIMEOUT", timeout);
        add("NCCL_IB_RETRY_CNT", count);
    } else if (name == "UCX") {
        if (qp.timeout == 0)
            return out; // a time of five hours switches it off; nobody should be told so
        add("UCX_RC_TIMEOUT", std::to_string(ack_timeout_ns(qp.timeout) / ns_per_us) + "us");
        add("UCX_RC_RETRY_COUNT", count);
    } else if (name == "Open MPI") {
        add("OMPI_MCA_btl_openib_ib_timeout", timeout);
        add("OMPI_MCA_btl_openib_ib_retry_count", count);
    } else if (name == "HCCL" && qp.retry_cnt != 0) {
        add("HCCL_RDMA_TIMEOUT", timeout);
        add("HCCL_RDMA_RETRY_CNT", count);
    } else if (name == "GASNet" && qp.retry_cnt != 0) {
        add("GASNET_QP_TIMEOUT", timeout);
        add("GASNET_QP_RETRY_COUNT", count);
    } else if (name == "perftest" && qp.retry_cnt == 7) {
        out.push_back("-u " + timeout);
    } else if (name == "RDMA-CM") {
        add("RDMA_OPTION_ID_ACK_TIMEOUT", timeout);
    }
    return out;
}

} // namespace adp::retry
