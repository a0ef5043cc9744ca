// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// C++ face of libadp: RAII over adp.h alone, header only, C++17. No virtual functions, no state
// beyond the handle. Errors are std::error_code values of adp::category() (errno values); nothing
// throws but what the standard library throws for lack of memory.
#ifndef ADP_ADP_HPP
#define ADP_ADP_HPP

#include <adp/adp.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace adp {
inline namespace v1 {

// Texts by adp_strerror(); values compare equal to std::errc.
inline const std::error_category &category() noexcept
{
	struct adp_category final : std::error_category {
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
	return {code, category()};
}

// An open device. Movable, not copyable; single owner, as adp_close() demands.
class context {
      public:
	context() = default;
	explicit context(adp_context *handle) noexcept : handle_(handle) {}

	// As adp_open_device(); on failure the result is empty and ec is set.
	static context open(const char *name, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		adp_context *handle = adp_open_device(name, attr);
		ec = handle == nullptr ? make_error(errno) : std::error_code{};
		return context{handle};
	}
	static context open(const adp_device *device, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		adp_context *handle = adp_open_listed_device(device, attr);
		ec = handle == nullptr ? make_error(errno) : std::error_code{};
		return context{handle};
	}
	static context open(ibv_context *verbs, std::error_code &ec,
			    const adp_open_attr *attr = nullptr)
	{
		adp_context *handle = adp_open_verbs(verbs, attr);
		ec = handle == nullptr ? make_error(errno) : std::error_code{};
		return context{handle};
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
	adp_context *get() const noexcept { return handle_.get(); }
	adp_context *release() noexcept { return handle_.release(); }

	std::error_code query_device(adp_device_attr &attr) const
	{
		return make_error(adp_query_device(get(), &attr));
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
	std::error_code modify_histogram(const adp_histogram &histogram, std::uint32_t mask)
	{
		return make_error(adp_modify_histogram(get(), &histogram, mask));
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

// A snapshot of counters; iterable. Movable, not copyable.
class counters {
      public:
	counters() = default;
	// Takes a snapshot over.
	explicit counters(adp_counters *handle) noexcept : handle_(handle)
	{
		if (handle != nullptr)
			adp_get_counters_info(handle, &info_);
	}
	// As adp_query_counters(); on failure the result is empty and ec is set.
	static counters query(const context &from, const adp_counter_query &what,
			      std::error_code &ec)
	{
		counters c{adp_query_counters(from.get(), &what)};
		ec = c ? std::error_code{} : make_error(errno);
		return c;
	}
	static counters query_port(const context &from, std::uint32_t port, std::error_code &ec)
	{
		adp_counter_query what{};
		what.port = port;
		return query(from, what, ec);
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
	const adp_counters_info &info() const noexcept { return info_; }
	std::size_t size() const noexcept { return info_.num; }
	adp_counter operator[](std::size_t i) const
	{
		adp_counter c{};
		adp_get_counter(handle_.get(), static_cast<std::uint32_t>(i), &c);
		return c;
	}
	// The counter of this name, where it has a number.
	std::optional<std::uint64_t> value(const char *name) const
	{
		const int i = adp_counter_by_name(handle_.get(), name);
		if (i < 0)
			return std::nullopt;
		const adp_counter c = (*this)[static_cast<std::size_t>(i)];
		const bool number = c.state == ADP_COUNTER_MEASURED ||
				    c.state == ADP_COUNTER_STALE ||
				    c.state == ADP_COUNTER_SATURATED;
		return number ? std::optional<std::uint64_t>{c.value} : std::nullopt;
	}

	class iterator {
	      public:
		iterator(const counters &of, std::size_t at) noexcept : of_(&of), at_(at) {}
		adp_counter operator*() const { return (*of_)[at_]; }
		iterator &operator++() noexcept
		{
			++at_;
			return *this;
		}
		bool operator!=(const iterator &other) const noexcept { return at_ != other.at_; }

	      private:
		const counters *of_;
		std::size_t at_;
	};
	iterator begin() const noexcept { return {*this, 0}; }
	iterator end() const noexcept { return {*this, size()}; }

      private:
	struct freer {
		void operator()(adp_counters *handle) const noexcept { adp_free_counters(handle); }
	};
	std::unique_ptr<adp_counters, freer> handle_;
	adp_counters_info info_{};
};

// A counter set of the application's own; see adp_create_own_counter_set(3) for its price. Movable,
// not copyable; the context must outlive it.
class own_counter_set {
      public:
	own_counter_set() = default;
	static own_counter_set create(const context &of, std::error_code &ec)
	{
		own_counter_set set;
		set.handle_.reset(adp_create_own_counter_set(of.get()));
		ec = set ? std::error_code{} : make_error(errno);
		return set;
	}

	explicit operator bool() const noexcept { return handle_ != nullptr; }
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
		ec = c ? std::error_code{} : make_error(errno);
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

// The machine's devices; iterable.
class device_list {
      public:
	explicit device_list(std::error_code &ec, const adp_open_attr *attr = nullptr)
	{
		int num = 0;
		list_.reset(adp_get_device_list(attr, &num));
		ec = list_ == nullptr ? make_error(errno) : std::error_code{};
		size_ = list_ == nullptr ? 0 : static_cast<std::size_t>(num);
	}
	adp_device *const *begin() const noexcept { return list_.get(); }
	adp_device *const *end() const noexcept { return list_.get() + size_; }
	std::size_t size() const noexcept { return size_; }

      private:
	struct freer {
		void operator()(adp_device **list) const noexcept { adp_free_device_list(list); }
	};
	std::unique_ptr<adp_device *, freer> list_;
	std::size_t size_ = 0;
};

// Every error and warning of a profile; ok() when there is no error.
class findings {
      public:
	explicit findings(const adp_profile &profile, const adp_profile_limits *limits = nullptr)
	{
		std::uint32_t num = 0;
		code_ = adp_check_profile(&profile, limits, nullptr, &num);
		list_.resize(num);
		if (num != 0)
			code_ = adp_check_profile(&profile, limits, list_.data(), &num);
	}
	bool ok() const noexcept { return code_ == 0; }
	auto begin() const noexcept { return list_.begin(); }
	auto end() const noexcept { return list_.end(); }

      private:
	int code_ = 0;
	std::vector<adp_finding> list_;
};

// A register or profile from any text form that people have; see adp_parse_profile().
inline std::error_code parse(std::string_view text, adp_accl &accl)
{
	return make_error(adp_parse_profile(text.data(), text.size(), &accl, nullptr));
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
// The queue pairs of a device, everybody's; see adp_get_qp_list(3).
class qp_list {
      public:
	qp_list(const char *dev, std::error_code &ec, const adp_qp_filter *filter = nullptr,
		const adp_open_attr *attr = nullptr)
	    : list_(adp_get_qp_list(dev, filter, attr))
	{
		ec = list_ == nullptr ? make_error(errno) : std::error_code{};
	}
	std::size_t size() const noexcept { return adp_qp_list_count(list_.get()); }
	std::string path() const { return adp_qp_list_path(list_.get()); }
	adp_qp_attr operator[](std::size_t i) const noexcept
	{
		adp_qp_attr attr{};
		adp_get_qp(list_.get(), static_cast<std::uint32_t>(i), &attr);
		return attr;
	}

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

} // namespace v1
} // namespace adp

#endif // ADP_ADP_HPP
