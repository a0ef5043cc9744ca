// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The safe set: lock, query, check, write with the needed select bits only, read back, compare.
// Every function of a bond is set, or none.
#include "read_back.h"
#include "session.h"

#include "profile/check.h"
#include "register/text_dump.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp {

namespace {

constexpr std::uint64_t id_bit = ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID);

std::string names_of(std::uint64_t fields)
{
    std::string names;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            names += adp::format("{}{}", names.empty() ? "" : ", ", reg::accl_field(n).name);
    return names;
}

std::uint64_t differing(const reg::accl_image &a, const reg::accl_image &b, std::uint64_t fields)
{
    std::uint64_t set = 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0 &&
            reg::get(a, reg::accl_field(n)) != reg::get(b, reg::accl_field(n)))
            set |= ADP_FIELD_BIT(n);
    return set;
}

// "time_base: asked 8, the device shows 4, ..."
std::string both_values(const reg::accl_image &asked, const reg::accl_image &got,
                        std::uint64_t fields)
{
    std::string text;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            text += (text.empty() ? "" : "; ") +
                    reg::asked_and_shown(reg::accl_field(n), reg::get(asked, reg::accl_field(n)),
                                         reg::get(got, reg::accl_field(n)));
    return text;
}

// Refused before any device is touched: what no device could take.
error check_arguments(const adp_accl &values, std::uint64_t fields)
{
    if (fields == 0)
        return {EINVAL, "no field to set", "", {}};
    for (std::uint32_t n = 0; n < 64; n++) {
        if ((fields & ADP_FIELD_BIT(n)) == 0)
            continue;
        if (n >= ADP_FIELD_COUNT)
            return {EOPNOTSUPP, adp::format("field number {} is not known", n), "", {}};
        const reg::field &f = reg::accl_field(n);
        if (f.acc == reg::access::ro)
            return {EINVAL, adp::format("{} is read only", f.name), "", {}};
        const std::uint32_t value = reg::member(values, n);
        if (value > f.max())
            return {EINVAL, reg::over_width(f, value), "", {}};
    }
    return {};
}

} // namespace

// One run of a set. The steps are methods, in their order.
class safe_set {
  public:
    safe_set(session &s, const adp_accl &values, std::uint64_t fields, std::uint32_t flags)
        : s_(s), values_(values), fields_(fields), flags_(flags),
          with_profile_((fields & reg::profile_block_fields()) != 0)
    {
    }

    // Fills out once every function was read and the request checked, also when the set then fails.
    error run(adp_set_result &out)
    {
        if (error e = check_arguments(values_, fields_); e.code != 0)
            return e;
        if (error e = lock(); e.code != 0)
            return e;
        for (function_access &fn : s_.functions_) {
            member m{};
            m.fn = &fn;
            m.commands_before = fn.commands();
            if (error e = prepare(m); e.code != 0)
                return subject(m, std::move(e));
            members_.push_back(m);
        }
        note_values();
        out = report();
        if ((flags_ & ADP_SET_DRY_RUN) != 0)
            return {};
        if (out.leaves_default != 0 && (flags_ & ADP_SET_LEAVE_DEFAULT) == 0)
            return {ECANCELED,
                    "this leaves the firmware's default profile, and only a firmware reset or "
                    "a reboot leads back",
                    "say yes to it (-y; ADP_SET_LEAVE_DEFAULT)",
                    {}};
        if (s_.cancelled())
            return {EINTR, "interrupted; nothing was written", "", {}};
        for (std::size_t i = 0; i < members_.size(); i++) {
            error e = apply(members_[i]);
            if (e.code != 0 && members_.size() > 1)
                e = roll_back(i, std::move(e));
            out = report();
            if (e.code != 0)
                return subject(members_[i], std::move(e));
        }
        return {};
    }

  private:
    struct member {
        function_access *fn;
        std::uint32_t commands_before;
        reg::accl_image first;  // as first queried: the active profile's contents
        reg::accl_image before; // the same, with the wanted profile's contents
        reg::accl_image written;
        reg::accl_image after;      // as read back, or as expected
        std::uint32_t active;       // profile id before
        std::uint32_t id;           // profile id that the set is about
        bool contents_known = true; // before holds the wanted profile's own
        bool nothing_to_do = false;
        std::uint32_t state = ADP_SET_NOT_WRITTEN;
    };

    error subject(const member &m, error e) const
    {
        if (s_.functions_.size() > 1)
            e.reason = "bond member " + m.fn->ref().pci + ": " + e.reason;
        return e;
    }

    error lock()
    {
        if ((flags_ & ADP_SET_DRY_RUN) != 0)
            return {};
        auto locks = s_.lock_functions();
        if (!locks)
            return std::move(locks).err();
        locks_ = std::move(*locks);
        return {};
    }

    // Reads the function, checks the request against it, and builds what would be written.
    error prepare(member &m)
    {
        auto active = s_.query_image(*m.fn, 0);
        if (!active)
            return std::move(active).err();
        m.first = m.before = *active;
        const reg::field &id_field = reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID);
        m.active = m.id = reg::get(m.before, id_field);

        const std::uint64_t unsupported = fields_ & ~reg::supported_fields(m.before[0]);
        if (unsupported != 0)
            return {EOPNOTSUPP,
                    adp::format("this firmware does not let {} be set; nothing was written",
                                names_of(unsupported)),
                    adp::format("it lets be set: {}", names_of(reg::supported_fields(m.before[0]))),
                    {}};
        if (with_profile_) {
            m.id = (fields_ & id_bit) != 0 ? values_.profile.adp_retx_profile_id
                   : m.active != 0         ? m.active
                                           : 1;
            if (m.id != m.active && m.id != 0) {
                if (error e = read_other_profile(m); e.code != 0)
                    return e;
            }
        }
        m.after = m.before;
        reg::encode(values_, fields_, m.after);
        if (with_profile_) {
            reg::put(m.after, id_field, m.id);
            if (error e = check_rules(m); e.code != 0)
                return e;
        }
        m.written = m.after;
        m.written[0] = reg::select_bits(fields_);
        m.nothing_to_do =
            differing(m.before, m.after, fields_) == 0 && (!with_profile_ || m.active == m.id);
        return {};
    }

    // The wanted profile is not the active one: its own contents are what a partial set keeps.
    // Whether firmware shows a profile that was never set is not public: a refusal counts as empty.
    error read_other_profile(member &m)
    {
        auto wanted = s_.query_image(*m.fn, m.id);
        if (wanted) {
            m.before = *wanted;
            return {};
        }
        if (wanted.err().code != EREMOTEIO)
            return std::move(wanted).err();
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
            if ((reg::profile_block_fields() & ~id_bit & ADP_FIELD_BIT(n)) != 0)
                reg::put(m.before, reg::accl_field(n), 0);
        s_.warn(adp::format("the firmware does not show profile {}: taken as empty", m.id));
        m.contents_known = false;
        return {};
    }

    // Fields outside the profile, whose own rules say more: a value that the vendor gives no meaning.
    void note_values()
    {
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
            const std::uint64_t bit = ADP_FIELD_BIT(n);
            if ((fields_ & bit) != 0 && (reg::profile_fields() & bit) == 0 &&
                reg::without_a_meaning(reg::accl_field(n), reg::member(values_, n)))
                s_.warn(adp::format("{} {}: the vendor gives this value no meaning",
                                    reg::accl_field(n).name, reg::member(values_, n)));
        }
    }

    error check_rules(const member &m)
    {
        adp_profile_limits limits{};
        limits.max_id = reg::get(m.before, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID));
        limits.max_range_num =
            reg::get(m.before, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM));
        limits.base_timeout_min_ns =
            reg::get(m.before, reg::accl_field(ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN));
        std::string broken;
        for (const profile::finding &f : profile::check(reg::decode(m.after).profile, limits)) {
            const std::string text = adp::format("{} {}: {}", f.field, f.value, f.rule);
            if (f.error && (flags_ & ADP_SET_FORCE) == 0)
                broken += (broken.empty() ? "" : "; ") + text;
            else
                s_.warn(text);
        }
        if (!broken.empty())
            return {EINVAL, "the profile breaks a rule; nothing was written: " + broken, "", {}};
        if (firmware_of(s_.device_.fw_ver) == firmware_age::unknown)
            s_.warn("the firmware's version is not known; before xx.46.1006 it maps dec_mode and "
                    "prev_range_index wrongly (vendor's release notes)");
        if (firmware_of(s_.device_.fw_ver) == firmware_age::untrusted)
            s_.warn(adp::format("firmware {} is older than xx.46.1006: it maps dec_mode and "
                                "prev_range_index wrongly and may refuse a profile while queue "
                                "pairs are active (vendor's release notes)",
                                s_.device_.fw_ver));
        return {};
    }

    // Read back without naming a profile, so that the answer is the active one: a profile that was
    // stored and not activated must not look right.
    result<reg::accl_image> read_back(const member &m) { return s_.query_image(*m.fn, 0); }

    // What is read back after the write: the fields asked for, and a profile as a whole.
    std::uint64_t asked() const
    {
        return with_profile_ ? fields_ | reg::profile_block_fields() : fields_;
    }

    error apply(member &m)
    {
        if (m.nothing_to_do)
            return {};
        reg::accl_image sent = m.written;
        auto written = m.fn->write(reg::roce_accl_id, sent);
        auto read = read_back(m);
        m.state = read ? ADP_SET_READ_BACK : ADP_SET_NOT_READ_BACK;
        const reg::accl_image wanted = m.after;
        if (!read)
            return not_read_back(written, std::move(read).err());
        m.after = *read;
        const std::uint64_t wrong = differing(wanted, m.after, asked());
        if (!written) {
            error e = std::move(written).err();
            const std::uint64_t moved = differing(m.first, m.after, ~std::uint64_t{0});
            if (moved == 0) { // what is shown is another profile than before may be
                m.after = m.before;
                reg::put(m.after, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID), m.active);
            }
            e.reason += wrong == 0   ? "; yet the register shows what was asked"
                        : moved == 0 ? "; nothing was changed"
                                     : "; changed all the same: " + names_of(moved);
            return e;
        }
        if (wrong != 0)
            return shows_another(both_values(wanted, m.after, wrong));
        const std::uint64_t others =
            differing(m.before, m.after, reg::writable_fields() & ~asked() & ~id_bit);
        if (others != 0)
            s_.warn(adp::format("changed at the same time, not by this set: {}", names_of(others)));
        return {};
    }

    // A member of a bond failed: it and those before it get their old values back.
    error roll_back(std::size_t failed, error e)
    {
        for (std::size_t i = 0; i <= failed; i++) {
            member &m = members_[i];
            if (m.nothing_to_do)
                continue;
            const std::string &pci = m.fn->ref().pci;
            auto now = read_back(m);
            if (now && differing(m.first, *now, asked()) == 0) {
                m.after = *now;
                continue; // it has not changed
            }
            if (with_profile_ && m.active == 0) {
                e.reason += adp::format("; {} has been set and cannot be put back to the "
                                        "firmware's default profile",
                                        pci);
                continue;
            }
            e.reason += adp::format("; {} {}", pci, put_back(m));
        }
        return e;
    }

    // The wanted profile's old contents first: writing a profile activates it. Then what was active,
    // whatever became of the first: a profile that was never set is empty, and may be refused.
    std::string put_back(member &m)
    {
        bool other_too = true;
        if (with_profile_ && m.id != m.active) {
            reg::accl_image other = m.before;
            reg::put(other, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID), m.id);
            other[0] = m.written[0];
            other_too = m.contents_known && m.fn->write(reg::roce_accl_id, other);
        }
        reg::accl_image old = m.first;
        old[0] = m.written[0];
        auto written = m.fn->write(reg::roce_accl_id, old);
        auto read = read_back(m);
        if (read)
            m.after = *read;
        if (!written || !read || differing(m.first, *read, asked()) != 0)
            return "has been set and could not be put back";
        return other_too ? "was put back"
                         : adp::format("was put back, but for the contents of profile {}, which is "
                                       "not active",
                                       m.id);
    }

    adp_set_result report() const
    {
        const member &m = members_.front();
        adp_set_result r{};
        for (const member &each : members_) {
            reg::accl_image was = each.before;
            reg::put(was, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID), each.active);
            r.changed |= differing(was, each.after, ~std::uint64_t{0});
            if (!each.nothing_to_do)
                r.functions++;
            if (with_profile_ && each.active == 0 && each.id != 0)
                r.leaves_default = 1;
            r.state = std::max(r.state, each.state);
        }
        reg::accl_image before = m.before;
        reg::put(before, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID), m.active);
        for (std::size_t i = 0; i < reg::roce_accl_dwords; i++) {
            r.before[i] = before[i];
            r.written[i] = m.nothing_to_do ? 0 : m.written[i];
            r.after[i] = m.after[i];
        }
        r.commands = m.fn->commands() - m.commands_before;
        r.locked = locks_.whole ? 1 : 0;
        return r;
    }

    session &s_;
    const adp_accl &values_;
    std::uint64_t fields_;
    std::uint32_t flags_;
    bool with_profile_;
    session::write_locks locks_;
    std::vector<member> members_;
};

result<void> session::modify_accl(const adp_accl &values, std::uint64_t fields, std::uint32_t flags,
                                  adp_set_result &out)
{
    if (!registers_)
        return registers_.err();
    error e = safe_set{*this, values, fields, flags}.run(out);
    note_caveat(e.code == 0 && (flags & ADP_SET_DRY_RUN) == 0);
    if (e.code != 0)
        return e;
    return {};
}

} // namespace adp
