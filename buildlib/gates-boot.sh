# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The units in a container that systemd boots.

gate_boot()
{
    local root=build-check/roots/boot out name
    command -v systemd-nspawn >/dev/null || skip "there is no systemd-nspawn"
    compgen -G 'build-check/deb/adp-utils_*.deb' >/dev/null || gate_deb
    # The packages were built here.
    suite_root "$(os_release VERSION_CODENAME)" boot
    mkdir -p "$root/src"
    cp build-check/deb/*.deb "$root/src/"
    rm -f "$root"/src/*-dbgsym* "$root"/src/libadp-dev*
    apt_in_root boot update
    apt_in_root boot install systemd systemd-sysv dbus
    install_debs boot src
    cp tests/boot/check.sh "$root/check.sh"
    cat >"$root/etc/systemd/system/check.service" <<'UNIT'
[Unit]
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/bash /check.sh
ExecStopPost=/usr/bin/systemctl --no-block poweroff
StandardOutput=file:/check.out
TimeoutStartSec=300
UNIT
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    ln -sf ../check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
    name=adp-boot-$$
    out=$root/check.out
    # That nothing was begun is this machine's; that it did not end well is ours.
    timeout -k 10 400 systemd-nspawn -q -M "$name" -D "$root" --register=no --keep-unit -b \
        --console=pipe </dev/null >build-check/logs/boot-console.log 2>&1 || [ -s "$out" ] ||
        skip "systemd-nspawn does not boot here: $(tail -n 1 build-check/logs/boot-console.log)"
    cat "$out"
    if ! grep -q '^1\.\.[1-9]' "$out" || grep -q '^not ok' "$out"; then
        return 1
    fi
    rm -rf --one-file-system "$root"
}
