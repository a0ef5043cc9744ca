// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// C++ face of libadp: RAII over adp.h alone, header only, C++17. Each function of adp.h is here: as a
// function of the same name without adp_, or as a member of the object that it is about. No virtual
// functions, no state beyond the handle. Errors are std::error_code values of adp::category() (errno
// values); nothing throws but what the standard library throws for lack of memory. An object that was
// moved from is empty, like a default one.
#ifndef ADP_ADP_HPP
#define ADP_ADP_HPP

#include <adp/adp.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace adp {
inline namespace v1 {

// Texts by adp_strerror(); codes compare equal to std::errc. Visible, and its static with it, also
// where -fvisibility=hidden is the rule: codes of two shared objects compare equal. Where objects do
// not share their symbols (a version script with local: *, RTLD_LOCAL) compare with std::errc.
ADP_EXPORT inline const std::error_category &category() noexcept
{
	struct ADP_EXPORT adp_category final : std::error_category {
		const char *name() const noexcept override { return "adp"; }
		std::string message(int code) const override { return adp_strerror(code); }
		std::error_condition default_error_condition(int code) const noexcept override
		{
			return {code, std::generic_category()};
		}
	};
	static const adp_category instance;
	return instance;
}

inline std::error_code make_error(int code) noexcept
{
	return code == 0 ? std::error_code{} : std::error_code{code, category()};
}

namespace detail {

// After a call that returned a pointer.
inline std::error_code outcome(bool success) noexcept
{
	return success ? std::error_code{} : make_error(errno);
}

// A text as C takes it, from each kind of text that C++ has. NULL is the library's to refuse; a zero
// byte within does not end it: it becomes a character that no name has.
class text {
      public:
	text(const char *given) noexcept : given_(given) {}
	text(std::string_view given) : own_(given), given_(own_.c_str())
	{
		for (char &c : own_)
			if (c == '\0')
				c = '?';
	}
	text(const std::string &given) : text(std::string_view{given}) {}
	text(const text &) = delete;
	text &operator=(const text &) = delete;
	const char *c_str() const noexcept { return given_; }

      private:
	std::string own_;
	const char *given_;
};

// Element i of what the library holds. Beyond the last: nothing, whose texts are "".
inline adp_counter element(const adp_counters *of, std::size_t i) noexcept
{
	adp_counter c{};
	if (adp_get_counter(of, static_cast<std::uint32_t>(i), &c) != 0) {
		c.name = c.concept_name = c.unit = c.meaning = c.meaning_source = "";
		c.gate = c.reason = c.since = "";
		c.state = ADP_COUNTER_NOT_EXPOSED;
	}
	return c;
}
inline adp_counter_set element(const adp_counter_sets *of, std::size_t i) noexcept
{
	adp_counter_set set{};
	if (adp_get_counter_set(of, static_cast<std::uint32_t>(i), &set) != 0)
		set.comm = set.kernel_owner = "";
	return set;
}
inline adp_qp_attr element(const adp_qp_list *of, std::size_t i) noexcept
{
	adp_qp_attr attr{};
	adp_get_qp(of, static_cast<std::uint32_t>(i), &attr);
	return attr;
}

// Goes over such elements. They are made, not referred to: an input iterator in C++17, a forward
// iterator in C++20. It stays valid when the object that owns the elements is moved.
template <typename Handle, typename Value> class iterator {
      public:
	using iterator_category = std::input_iterator_tag;
	using iterator_concept = std::forward_iterator_tag;
	using value_type = Value;
	using difference_type = std::ptrdiff_t;
	using reference = Value;
	class pointer {
	      public:
		explicit pointer(const Value &value) noexcept : value_(value) {}
		const Value *operator->() const noexcept { return &value_; }

	      private:
		Value value_;
	};

	iterator() = default;
	iterator(const Handle *of, std::size_t at) noexcept : of_(of), at_(at) {}
	Value operator*() const noexcept { return element(of_, at_); }
	pointer operator->() const noexcept { return pointer{**this}; }
	iterator &operator++() noexcept
	{
		++at_;
		return *this;
	}
	iterator operator++(int) noexcept
	{
		iterator old = *this;
		++at_;
		return old;
	}
	friend bool operator==(const iterator &a, const iterator &b) noexcept
	{
		return a.of_ == b.of_ && a.at_ == b.at_;
	}
	friend bool operator!=(const iterator &a, const iterator &b) noexcept { return !(a == b); }

      private:
	const Handle *of_ = nullptr;
	std::size_t at_ = 0;
};

} // namespace detail

// The library's version, "0.1.0".
inline const char *version() noexcept
{
	return adp_version();
}

// The whole sentence about the last failure on this thread; "" when nothing has failed.
inline std::string get_error()
{
	return adp_get_error();
}
// What the firmware answered last on this thread; nothing where it has refused nothing.
inline std::optional<adp_fw_status> get_fw_status() noexcept
{
	adp_fw_status status{};
	return adp_get_fw_status(&status) == 0 ? std::optional<adp_fw_status>{status}
					       : std::nullopt;
}

// A field of the register; nothing where there is none of that number.
inline std::optional<adp_field_info> describe_field(std::uint32_t field) noexcept
{
	adp_field_info info{};
	return adp_describe_field(field, &info) == 0 ? std::optional<adp_field_info>{info}
						     : std::nullopt;
}
// The number of the field of this name, any case.
inline std::optional<std::uint32_t> field_by_name(const detail::text &name) noexcept
{
	const int field = adp_field_by_name(name.c_str());
	return field < 0 ? std::nullopt
			 : std::optional<std::uint32_t>{static_cast<std::uint32_t>(field)};
}

// A device of a list or of a context, which owns it and must outlive this and its texts. A text that
// there is none of is "".
class device {
      public:
	device() = default;
	device(const adp_device *handle) noexcept : handle_(handle) {}
	operator const adp_device *() const noexcept { return handle_; }
	const adp_device *get() const noexcept { return handle_; }

	const char *name() const noexcept { return adp_device_name(handle_); }
	const char *driver() const noexcept { return adp_device_driver(handle_); }
	const char *fw_ver() const noexcept { return adp_device_fw_ver(handle_); }
	const char *board_id() const noexcept { return adp_device_board_id(handle_); }
	bool simulated() const noexcept { return adp_device_simulated(handle_) != 0; }
	std::uint32_t num_ports() const noexcept { return adp_device_num_ports(handle_); }
	const char *netdev(std::uint32_t port) const noexcept
	{
		const char *name = adp_device_netdev(handle_, port);
		return name == nullptr ? "" : name;
	}
	// The address of each function; a bond has more than one.
	std::vector<std::string> pci() const
	{
		std::vector<std::string> list;
		for (std::uint32_t i = 0; const char *address = adp_device_pci(handle_, i); i++)
			list.emplace_back(address);
		return list;
	}

      private:
	const adp_device *handle_ = nullptr;
};

// The machine's devices; iterable, as pointers that make a device.
class device_list {
      public:
	device_list() = default;
	explicit device_list(std::error_code &ec, const adp_open_attr *attr = nullptr)
	{
		int num = 0;
		list_.reset(adp_get_device_list(attr, &num));
		ec = detail::outcome(list_ != nullptr);
		size_ = static_cast<std::size_t>(num);
	}

	// Whether they could be listed; there may be none all the same.
	explicit operator bool() const noexcept { return list_ != nullptr; }
	std::size_t size() const noexcept { return list_ == nullptr ? 0 : size_; }
	bool empty() const noexcept { return size() == 0; }
	adp_device *const *begin() const noexcept { return list_.get(); }
	adp_device *const *end() const noexcept { return list_.get() + size(); }
	device operator[](std::size_t i) const noexcept { return begin()[i]; }

      private:
	struct freer {
		void operator()(adp_device **list) const noexcept { adp_free_device_list(list); }
	};
	std::unique_ptr<adp_device *, freer> list_;
	std::size_t size_ = 0; // of list_
};

// An open device. Movable, not copyable; single owner, as adp_close() demands.
class context {
      public:
	context() = default;
	explicit context(adp_context *handle) noexcept : handle_(handle) {}

	// As adp_open_device(); on failure the result is empty and ec is set.
	static context open(const detail::text &name, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		context made{adp_open_device(name.c_str(), attr)};
		ec = detail::outcome(made.handle_ != nullptr);
		return made;
	}
	static context open(const adp_device *listed, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		context made{adp_open_listed_device(listed, attr)};
		ec = detail::outcome(made.handle_ != nullptr);
		return made;
	}
	static context open(ibv_context *verbs, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		context made{adp_open_verbs(verbs, attr)};
		ec = detail::outcome(made.handle_ != nullptr);
		return made;
	}
	// No name, which is refused.
	static context open(std::nullptr_t, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		return open(static_cast<const char *>(nullptr), ec, attr);
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
	adp_context *get() const noexcept { return handle_.get(); }
	adp_context *release() noexcept { return handle_.release(); }

	// The device that it was opened on; as long as the context.
	adp::device device() const noexcept { return adp_context_device(get()); }
	std::error_code query_device(adp_device_attr &attr) const
	{
		return make_error(adp_query_device(get(), &attr));
	}
	// Access path i; std::errc::no_such_file_or_directory beyond the last.
	std::error_code query_access(std::uint32_t i, adp_access &access) const
	{
		return make_error(adp_query_access(get(), i, &access));
	}
	// All of them.
	std::vector<adp_access> query_access(std::error_code &ec) const
	{
		std::vector<adp_access> list;
		adp_access access{};
		int code = 0;
		for (std::uint32_t i = 0; (code = adp_query_access(get(), i, &access)) == 0; i++)
			list.push_back(access);
		ec = make_error(code == ENOENT ? 0 : code);
		return list;
	}
	std::error_code query_accl(adp_accl &accl, std::uint32_t profile_id = 0) const
	{
		return make_error(adp_query_accl(get(), profile_id, &accl));
	}
	std::error_code modify_accl(const adp_accl &accl, std::uint64_t fields, std::uint32_t flags,
				    adp_set_result &result)
	{
		return make_error(adp_modify_accl(get(), &accl, fields, flags, &result));
	}
	std::error_code query_profile(adp_profile &profile, std::uint32_t profile_id = 0) const
	{
		return make_error(adp_query_profile(get(), profile_id, &profile));
	}
	std::error_code set_profile(const adp_profile &profile, std::uint32_t flags,
				    adp_set_result &result)
	{
		return make_error(adp_set_profile(get(), &profile, flags, &result));
	}
	std::error_code query_histogram(adp_histogram &histogram) const
	{
		return make_error(adp_query_histogram(get(), &histogram));
	}
	std::error_code query_histogram_config(adp_histogram &histogram) const
	{
		return make_error(adp_query_histogram_config(get(), &histogram));
	}
	std::error_code modify_histogram(const adp_histogram &histogram, std::uint32_t mask)
	{
		return make_error(adp_modify_histogram(get(), &histogram, mask));
	}

	std::error_code query_counter_mode(std::uint32_t port, adp_counter_mode &mode) const
	{
		return make_error(adp_query_counter_mode(get(), port, &mode));
	}
	std::error_code set_counter_mode(std::uint32_t port, const adp_counter_mode &mode)
	{
		return make_error(adp_set_counter_mode(get(), port, &mode));
	}
	// To the set set_id, or to a new one (ADP_COUNTER_SET_NEW), whose number it gets.
	std::error_code bind_counter_set(std::uint32_t port, std::uint32_t lqpn,
					 std::uint32_t &set_id)
	{
		return make_error(adp_bind_counter_set(get(), port, lqpn, &set_id));
	}
	std::error_code unbind_counter_set(std::uint32_t port, std::uint32_t lqpn,
					   std::uint32_t set_id)
	{
		return make_error(adp_unbind_counter_set(get(), port, lqpn, set_id));
	}
	// Exactly these are on afterwards.
	std::error_code set_optional_counters(std::uint32_t port,
					      const std::vector<std::string> &names)
	{
		std::vector<const char *> list;
		for (const std::string &name : names) {
			// A name that C would see the beginning of alone is none.
			const bool whole = name.find('\0') == std::string::npos;
			list.push_back(whole ? name.c_str() : "");
		}
		return make_error(adp_set_optional_counters(
			get(), port, list.data(), static_cast<std::uint32_t>(list.size())));
	}

	// log as adp_open_attr has it, with the same rules; NULL makes the context silent.
	void set_log(adp_log_fn log, void *arg = nullptr,
		     std::uint32_t level = ADP_LOG_DEBUG) noexcept
	{
		adp_set_log(get(), log, arg, level);
	}
	std::string path() const { return adp_context_path(get()); }
	std::vector<std::string> warnings() const
	{
		std::vector<std::string> list;
		for (std::uint32_t i = 0; const char *text = adp_context_warning(get(), i); i++)
			list.emplace_back(text);
		return list;
	}

      private:
	struct closer {
		void operator()(adp_context *handle) const noexcept { adp_close(handle); }
	};
	std::unique_ptr<adp_context, closer> handle_;
};

// A snapshot of counters that something else owns (counters, counter_sets), which must outlive it and
// its texts; iterable. Copyable, like a std::string_view.
class counters_view {
      public:
	using iterator = detail::iterator<adp_counters, adp_counter>;

	counters_view() noexcept : counters_view(nullptr) {}
	explicit counters_view(const adp_counters *handle) noexcept : handle_(handle)
	{
		if (handle == nullptr || adp_get_counters_info(handle, &info_) != 0)
			info_.driver = info_.source = info_.note = info_.function =
				info_.function_reason = info_.netdev = "";
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
	const adp_counters *get() const noexcept { return handle_; }
	const adp_counters_info &info() const noexcept { return info_; }
	std::size_t size() const noexcept { return info_.num; }
	bool empty() const noexcept { return size() == 0; }
	adp_counter operator[](std::size_t i) const noexcept { return detail::element(handle_, i); }
	iterator begin() const noexcept { return {handle_, 0}; }
	iterator end() const noexcept { return {handle_, size()}; }

	// The counter of this name, in whatever state.
	std::optional<adp_counter> find(const detail::text &name) const noexcept
	{
		const int i = adp_counter_by_name(handle_, name.c_str());
		return i < 0 ? std::nullopt
			     : std::optional<adp_counter>{(*this)[static_cast<std::size_t>(i)]};
	}
	// Its value, where it has a number.
	std::optional<std::uint64_t> value(const detail::text &name) const noexcept
	{
		const std::optional<adp_counter> c = find(name);
		const bool number =
			c && (c->state == ADP_COUNTER_MEASURED || c->state == ADP_COUNTER_STALE ||
			      c->state == ADP_COUNTER_SATURATED);
		return number ? std::optional<std::uint64_t>{c->value} : std::nullopt;
	}

      private:
	const adp_counters *handle_;
	adp_counters_info info_{};
};

// A snapshot of its own. Movable, not copyable.
class counters : public counters_view {
      public:
	counters() = default;
	// Takes a snapshot over.
	explicit counters(adp_counters *handle) noexcept : counters_view(handle), owned_(handle) {}
	counters(counters &&other) noexcept : counters_view(other), owned_(std::move(other.owned_))
	{
		other.forget();
	}
	counters &operator=(counters &&other) noexcept
	{
		if (this != &other) {
			counters_view::operator=(other);
			owned_ = std::move(other.owned_);
			other.forget();
		}
		return *this;
	}
	~counters() = default;

	// As adp_query_counters(); on failure the result is empty and ec is set.
	static counters query(const context &from, const adp_counter_query &what,
			      std::error_code &ec)
	{
		counters c{adp_query_counters(from.get(), &what)};
		ec = detail::outcome(c.owned_ != nullptr);
		return c;
	}
	static counters query_port(const context &from, std::uint32_t port, std::error_code &ec)
	{
		adp_counter_query what{};
		what.port = port;
		return query(from, what, ec);
	}

	adp_counters *release() noexcept
	{
		forget();
		return owned_.release();
	}

      private:
	void forget() noexcept { counters_view::operator=(counters_view{}); }

	struct freer {
		void operator()(adp_counters *handle) const noexcept { adp_free_counters(handle); }
	};
	std::unique_ptr<adp_counters, freer> owned_;
};

// The counter sets that queue pairs are bound to, with their values (counters_view{set.counters});
// iterable. Sets and values live as long as the list. Movable, not copyable.
class counter_sets {
      public:
	using iterator = detail::iterator<adp_counter_sets, adp_counter_set>;

	counter_sets() = default;
	// As adp_get_counter_sets(), of all ports where none is named.
	counter_sets(const context &from, std::error_code &ec, std::uint32_t port = 0)
	    : handle_(adp_get_counter_sets(from.get(), port))
	{
		ec = detail::outcome(handle_ != nullptr);
		adp_counter_set set{};
		while (adp_get_counter_set(handle_.get(), size_, &set) == 0)
			size_++;
	}

	// Whether they could be read; there may be none all the same.
	explicit operator bool() const noexcept { return handle_ != nullptr; }
	const adp_counter_sets *get() const noexcept { return handle_.get(); }
	std::size_t size() const noexcept { return handle_ == nullptr ? 0 : size_; }
	bool empty() const noexcept { return size() == 0; }
	adp_counter_set operator[](std::size_t i) const noexcept
	{
		return detail::element(get(), i);
	}
	iterator begin() const noexcept { return {get(), 0}; }
	iterator end() const noexcept { return {get(), size()}; }

      private:
	struct freer {
		void operator()(adp_counter_sets *sets) const noexcept
		{
			adp_free_counter_sets(sets);
		}
	};
	std::unique_ptr<adp_counter_sets, freer> handle_;
	std::uint32_t size_ = 0; // of handle_
};

// A counter set of the application's own; see adp_create_own_counter_set(3) for its price. Movable,
// not copyable; the context must outlive it. Its end gives the set back and cannot tell of a failure:
// destroy() can.
class own_counter_set {
      public:
	own_counter_set() = default;
	static own_counter_set create(const context &of, std::error_code &ec)
	{
		own_counter_set set;
		set.handle_.reset(adp_create_own_counter_set(of.get()));
		ec = detail::outcome(set.handle_ != nullptr);
		return set;
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
	adp_own_counter_set *get() const noexcept { return handle_.get(); }
	adp_own_counter_set *release() noexcept { return handle_.release(); }
	// ADP_NOT_KNOWN of an empty one.
	std::uint32_t id() const noexcept { return adp_own_counter_set_id(handle_.get()); }
	std::error_code move_here(ibv_qp *qp)
	{
		return make_error(adp_move_qp_to_own_counter_set(handle_.get(), qp));
	}
	std::error_code move_back(ibv_qp *qp)
	{
		return make_error(adp_move_qp_from_own_counter_set(handle_.get(), qp));
	}
	counters query(std::error_code &ec) const
	{
		counters c{adp_query_own_counter_set(handle_.get())};
		ec = detail::outcome(static_cast<bool>(c));
		return c;
	}
	// On failure the set is still there.
	std::error_code destroy()
	{
		const int code = adp_destroy_own_counter_set(handle_.get());
		if (code == 0)
			handle_.release();
		return make_error(code);
	}

      private:
	struct destroyer {
		void operator()(adp_own_counter_set *set) const noexcept
		{
			adp_destroy_own_counter_set(set);
		}
	};
	std::unique_ptr<adp_own_counter_set, destroyer> handle_;
};

// Every error and warning of a profile; ok() when there is no error.
class findings {
      public:
	findings() = default;
	explicit findings(const adp_profile &profile, const adp_profile_limits *limits = nullptr)
	{
		std::uint32_t num = 0;
		code_ = make_error(adp_check_profile(&profile, limits, nullptr, &num));
		list_.resize(num);
		if (num != 0)
			code_ = make_error(adp_check_profile(&profile, limits, list_.data(), &num));
	}
	findings(const findings &) = default;
	findings &operator=(const findings &) = default;
	findings(findings &&other) noexcept
	    : code_(std::exchange(other.code_, {})), list_(std::exchange(other.list_, {}))
	{
	}
	findings &operator=(findings &&other) noexcept
	{
		code_ = std::exchange(other.code_, {});
		list_ = std::exchange(other.list_, {});
		return *this;
	}
	~findings() = default;

	bool ok() const noexcept { return !code_; }
	// std::errc::invalid_argument for a profile that breaks a rule; another one where it could not
	// be checked, and then there may be no finding.
	std::error_code code() const noexcept { return code_; }
	std::size_t size() const noexcept { return list_.size(); }
	bool empty() const noexcept { return list_.empty(); }
	const adp_finding &operator[](std::size_t i) const noexcept { return list_[i]; }
	auto begin() const noexcept { return list_.begin(); }
	auto end() const noexcept { return list_.end(); }

      private:
	std::error_code code_;
	std::vector<adp_finding> list_;
};

// A register or profile from any text form that people have, and which one that was (ADP_FORMAT_*);
// see adp_parse_profile().
inline std::error_code parse(std::string_view text, adp_accl &accl, std::uint32_t *form = nullptr)
{
	return make_error(adp_parse_profile(text.data(), text.size(), &accl, form));
}

inline std::string format(const adp_profile &profile, adp_format form, std::error_code &ec)
{
	std::size_t needed = 0;
	int code = adp_format_profile(&profile, form, nullptr, 0, &needed);
	std::string text;
	if (code == ENOSPC) {
		text.resize(needed + 1);
		code = adp_format_profile(&profile, form, text.data(), text.size(), &needed);
		text.resize(code == 0 ? needed : 0);
	}
	ec = make_error(code);
	return text;
}

// Flow labels and UDP source ports; see adp_calc_flow_label(3).
inline std::uint32_t calc_flow_label(std::uint32_t lqpn, std::uint32_t rqpn) noexcept
{
	return adp_calc_flow_label(lqpn, rqpn);
}
inline std::uint16_t flow_label_to_udp_sport(std::uint32_t label) noexcept
{
	return adp_flow_label_to_udp_sport(label);
}
inline std::uint16_t calc_udp_sport(std::uint32_t label, std::uint32_t lqpn,
				    std::uint32_t rqpn) noexcept
{
	return adp_calc_udp_sport(label, lqpn, rqpn);
}
inline std::uint32_t cm_flow_label(std::uint16_t sport, std::uint16_t dport) noexcept
{
	return adp_cm_flow_label(sport, dport);
}
inline std::uint32_t udp_sport_to_flow_label(std::uint16_t sport) noexcept
{
	return adp_udp_sport_to_flow_label(sport);
}
// The shorter of the two decides.
inline std::vector<std::uint32_t> calc_flow_labels(const std::vector<std::uint32_t> &lqpn,
						   const std::vector<std::uint32_t> &rqpn)
{
	std::vector<std::uint32_t> labels(lqpn.size() < rqpn.size() ? lqpn.size() : rqpn.size());
	adp_calc_flow_labels(lqpn.data(), rqpn.data(), labels.data(), labels.size());
	return labels;
}
inline std::vector<std::uint16_t> calc_udp_sports(const std::vector<std::uint32_t> &lqpn,
						  const std::vector<std::uint32_t> &rqpn)
{
	std::vector<std::uint16_t> sports(lqpn.size() < rqpn.size() ? lqpn.size() : rqpn.size());
	adp_calc_udp_sports(nullptr, lqpn.data(), rqpn.data(), sports.data(), sports.size());
	return sports;
}
// The same for queue pairs of which some have a label, the others 0. The shortest of the three decides.
inline std::vector<std::uint16_t> calc_udp_sports(const std::vector<std::uint32_t> &labels,
						  const std::vector<std::uint32_t> &lqpn,
						  const std::vector<std::uint32_t> &rqpn)
{
	std::size_t num = lqpn.size() < rqpn.size() ? lqpn.size() : rqpn.size();
	num = labels.size() < num ? labels.size() : num;
	std::vector<std::uint16_t> sports(num);
	adp_calc_udp_sports(labels.data(), lqpn.data(), rqpn.data(), sports.data(), num);
	return sports;
}

// As adp_plan_udp_sports(): a port for each element of qps.
inline std::error_code plan_udp_sports(const std::vector<adp_plan_stage> &stages,
				       const adp_plan_attr &attr, std::vector<adp_planned_qp> &qps,
				       adp_plan_result *result = nullptr)
{
	return make_error(
		adp_plan_udp_sports(stages.data(), static_cast<std::uint32_t>(stages.size()), &attr,
				    qps.data(), static_cast<std::uint32_t>(qps.size()), result));
}

// An application's own queue pair; see adp_query_qp(3).
inline std::error_code query_qp(ibv_qp *qp, adp_qp_attr &attr)
{
	return make_error(adp_query_qp(qp, &attr));
}
// The queue pairs of a device, everybody's; iterable. See adp_get_qp_list(3).
class qp_list {
      public:
	using iterator = detail::iterator<adp_qp_list, adp_qp_attr>;

	qp_list() = default;
	qp_list(const detail::text &dev, std::error_code &ec, const adp_qp_filter *filter = nullptr,
		const adp_open_attr *attr = nullptr)
	    : list_(adp_get_qp_list(dev.c_str(), filter, attr))
	{
		ec = detail::outcome(list_ != nullptr);
	}

	// Whether they could be read; there may be none all the same.
	explicit operator bool() const noexcept { return list_ != nullptr; }
	const adp_qp_list *get() const noexcept { return list_.get(); }
	std::size_t size() const noexcept { return adp_qp_list_count(get()); }
	bool empty() const noexcept { return size() == 0; }
	std::string path() const { return adp_qp_list_path(get()); }
	adp_qp_attr operator[](std::size_t i) const noexcept { return detail::element(get(), i); }
	iterator begin() const noexcept { return {get(), 0}; }
	iterator end() const noexcept { return {get(), size()}; }

      private:
	struct freer {
		void operator()(adp_qp_list *list) const noexcept { adp_free_qp_list(list); }
	};
	std::unique_ptr<adp_qp_list, freer> list_;
};
inline std::error_code modify_qp_udp_sport(ibv_qp *qp, std::uint16_t sport)
{
	return make_error(adp_modify_qp_udp_sport(qp, sport));
}
inline std::error_code force_qp_udp_sport(ibv_qp *qp, std::uint16_t sport)
{
	return make_error(adp_force_qp_udp_sport(qp, sport));
}

// How long until a queue pair fails when its peer is gone; see adp_time_to_error().
inline adp_retry_time time_to_error(const adp_retry_setting &setting, adp_retry_model model,
				    std::error_code &ec) noexcept
{
	adp_retry_time result{};
	ec = make_error(adp_time_to_error(&setting, model, &result));
	return result;
}

// The model's name, "mlx5_default"; NULL when there is none of that number.
inline const char *retry_model_name(std::uint32_t model) noexcept
{
	return adp_retry_model_name(model);
}

} // namespace v1
} // namespace adp

#endif // ADP_ADP_HPP
