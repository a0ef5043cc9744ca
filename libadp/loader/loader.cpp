// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "loader.h"

#include "file.h"
#include "immortal.h"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <unistd.h>

#ifdef ADP_BUILTIN_PROVIDERS
extern "C" {
extern const adp::provider_entry adp_provider_mlx5;
extern const adp::provider_entry adp_provider_sim;
}
#endif

namespace adp {

namespace {

// "mlx5_core" and "mlx5_core.sf" are served by "mlx5".
std::string provider_name(const std::string &driver)
{
    return driver.substr(0, driver.find_first_of("_."));
}

result<provider *> accept(const provider_entry *entry, const std::string &from)
{
    if (entry == nullptr || entry->abi != ADP_PROVIDER_ABI)
        return error{EOPNOTSUPP,
                     from + ": made for another version of libadp",
                     "install the providers that belong to it",
                     {}};
    return entry->get();
}

#ifdef ADP_BUILTIN_PROVIDERS

result<provider *> load(const std::string &name)
{
    for (const provider_entry *entry : {&adp_provider_mlx5, &adp_provider_sim})
        if (name == entry->name)
            return accept(entry, name);
    return error{EOPNOTSUPP, "libadp was built without a provider for it", "", {}};
}

#else

// Plugins stand in the folder libadp/ beside the library, installed or in the build tree.
std::string own_folder()
{
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void *>(&own_folder), &info) == 0 ||
        info.dli_fname == nullptr)
        return {};
    const std::string file{info.dli_fname};
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? std::string{} : file.substr(0, slash) + "/libadp";
}

std::vector<std::string> folders()
{
    std::vector<std::string> list;
    const std::string path = os::environment("ADP_PROVIDER_PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (end > at)
            list.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    const std::string own = own_folder();
    if (!own.empty())
        list.push_back(own);
    if (own != ADP_PROVIDER_DIR)
        list.emplace_back(ADP_PROVIDER_DIR);
    return list;
}

result<provider *> load(const std::string &name)
{
    const std::string file = name + "-adpv" + std::to_string(ADP_PROVIDER_ABI) + ".so";
    std::string looked;
    for (const std::string &folder : folders()) {
        const std::string path = folder + "/" + file;
        looked += (looked.empty() ? "" : ", ") + folder;
        if (::access(path.c_str(), F_OK) != 0)
            continue;
        // Never closed: its code may run until the process ends.
        void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            const char *why = ::dlerror();
            return error{EOPNOTSUPP,
                         why == nullptr ? path + ": cannot be loaded" : why,
                         "install the providers that belong to this libadp",
                         {}};
        }
        return accept(static_cast<const provider_entry *>(::dlsym(handle, ADP_PROVIDER_SYMBOL)),
                      path);
    }
    return error{EOPNOTSUPP,
                 "no provider for it (" + file + " in " + looked + ")",
                 "only mlx5 devices have an ADP register; for those, install libadp-providers",
                 {}};
}

#endif

} // namespace

result<provider *> find_provider(const function_ref &fn)
{
    static std::mutex mutex;
    static auto &loaded = immortal(std::map<std::string, provider *>{});

    const std::string name = provider_name(fn.driver);
    if (name.empty())
        return error{EOPNOTSUPP, "its driver is not known", "", {}};
    const std::lock_guard<std::mutex> guard{mutex};
    provider *&known = loaded[name];
    if (known == nullptr) {
        auto found = load(name);
        if (!found) {
            error e = std::move(found).err();
            e.reason = "driver " + fn.driver + ": " + e.reason;
            return e;
        }
        known = *found;
    }
    if (!known->match(fn))
        return error{
            EOPNOTSUPP, "driver " + fn.driver + ": not served by provider " + name, "", {}};
    return known;
}

} // namespace adp
