// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sysfs_counters.h"

#include "file.h"

#include <cerrno>
#include <charconv>
#include <sys/stat.h>

namespace adp {

namespace {

// An attribute of sysfs is at most a page; what is longer is none.
constexpr std::size_t attribute_bytes = 4096;

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks{" \t\r\n\0", 5};
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// What a file held that is no number, fit for a message.
std::string excerpt(std::string_view text)
{
    std::string shown;
    for (const char c : text.substr(0, 40))
        shown += c >= 0x20 && c < 0x7f ? c : '?';
    return shown + (text.size() > 40 ? "..." : "");
}

bool is_folder(const std::string &path)
{
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

} // namespace

counter::value counter_of_text(std::string_view driver, std::string_view name,
                               std::string_view text, counter::family family)
{
    const std::string_view digits = trimmed(text);
    // Kernels before 4.19 say this where performance management does not answer; newer ones fail.
    if (digits.find("N/A") == 0)
        return counter::make_unreadable(driver, name, EOPNOTSUPP,
                                        "the kernel says: " + excerpt(digits), family);
    std::uint64_t number = 0;
    const char *const end = digits.data() + digits.size();
    const auto [rest, bad] = std::from_chars(digits.data(), end, number);
    if (bad == std::errc::result_out_of_range)
        return counter::make_unreadable(driver, name, ERANGE, "over 64 bits: " + excerpt(digits),
                                        family);
    if (bad != std::errc{} || rest != end)
        return counter::make_unreadable(driver, name, EPROTO,
                                        "not a number: \"" + excerpt(digits) + "\"", family);
    return counter::make_value(driver, name, number, family);
}

result<std::vector<counter::value>>
read_counter_folder(const std::string &path, std::string_view driver, counter::family family)
{
    if (!is_folder(path))
        return os::failure(ENOENT, path);
    std::vector<counter::value> values;
    for (const std::string &name : os::list_directory(path)) {
        if (name == "lifespan" && family == counter::family::hw)
            continue;
        const auto text = os::read_file(path + "/" + name, attribute_bytes);
        if (text)
            values.push_back(counter_of_text(driver, name, *text, family));
        else if (text.err().code != EISDIR)
            values.push_back(
                counter::make_unreadable(driver, name, text.err().code, text.err().reason, family));
    }
    return values;
}

} // namespace adp
