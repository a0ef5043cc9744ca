# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Configuring and compiling a build folder.

# A member of the folder's meson-info.json: "full", the version of meson, or "source".
build_info()
{
    grep -o "\"$2\": \"[^\"]*\"" "$1/meson-info/meson-info.json" | head -n 1 | cut -d '"' -f 4
}

# Stops, with what to do, where the folder is of no use to this user on this machine.
check_build_folder()
{
    local dir=$1 made here
    [ -e "$dir" ] || return 0
    [ "$(stat -c %u "$dir")" = "$(id -u)" ] ||
        die "$dir/ was made by $(stat -c %U "$dir"): build as that user, or remove it (./build.sh clean)"
    [ -e "$dir/meson-info/meson-info.json" ] || return 0
    # meson reads what another version left where the first two numbers agree.
    made=$(build_info "$dir" full)
    here=$(meson --version)
    [ -z "$made" ] || [ "$(cut -d . -f 1,2 <<<"$made")" = "$(cut -d . -f 1,2 <<<"$here")" ] ||
        die "$dir/ was made by meson $made, here is $here: ./build.sh clean, then again"
    made=$(build_info "$dir" source)
    [ -z "$made" ] || [ "$made" -ef . ] ||
        die "$dir/ was made for the sources in $made: ./build.sh clean, then again"
}

# configure FOLDER [MESON OPTION]...: options given once stay in force.
configure()
{
    local dir=$1 options
    shift
    options=("$@")
    check_build_folder "$dir"
    if [ ! -e "$dir/meson-private/coredata.dat" ]; then
        # The tests wait until somebody asks for them: a first look should be quick.
        [[ " ${options[*]} " == *" -Dtests="* ]] || options+=(-Dtests=disabled)
        meson setup "${options[@]}" "$dir"
    elif [ ! -e "$dir/build.ninja" ] ||
        { [ ${#options[@]} -gt 0 ] && [ "$(cat "$dir/.options" 2>/dev/null)" != "${options[*]}" ]; }; then
        meson setup --reconfigure "${options[@]}" "$dir"
    fi
    [ ${#options[@]} -eq 0 ] || echo "${options[*]}" >"$dir/.options"
}

# compile FOLDER [MESON OPTION]...
compile()
{
    configure "$@"
    ninja -C "$1"
}
