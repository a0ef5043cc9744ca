# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The units where systemd boots: in a container, and in a guest with a device.

# boot_root NAME PACKAGE...: a root in build-check/roots with systemd, the packages, and libadp's own.
boot_root()
{
    local name=$1 src=build-check/roots/$1/src
    shift
    compgen -G 'build-check/deb/adp-utils_*.deb' >/dev/null || gate_deb
    # libadp's were built here.
    suite_root "$(os_release VERSION_CODENAME)" "$name"
    mkdir -p "$src"
    cp build-check/deb/*.deb "$src/"
    rm -f "$src"/*-dbgsym* "$src"/libadp-dev*
    apt_in_root "$name" update
    apt_in_root "$name" install systemd systemd-sysv "$@"
    install_debs "$name" src
}

gate_boot()
{
    local root=build-check/roots/boot out name
    command -v systemd-nspawn >/dev/null || skip "there is no systemd-nspawn"
    boot_root boot dbus
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

# Real events of stock drivers, by way of udev, to the units. It takes minutes: the guests are emulated.
gate_boot-guest()
{
    local root=build-check/roots/boot-guest fwctl
    [ "$(uname -m)" = x86_64 ] || skip "the guest is for x86-64 machines"
    # The last is what libadp-providers recommends: the kernel before fwctl is reached by DEVX.
    boot_root boot-guest udev kmod rdma-core ibverbs-providers
    configure build-check/gcc -Dwerror=true -Dtests=enabled
    ninja -C build-check/gcc tests/hca/server/adp-hca
    mkdir -p "$root/etc/adp"
    cp tests/fixtures/roce_accl/set-named.txt "$root/etc/adp/sample.txt"
    cat >"$root/etc/adp/adp.toml" <<'TOML'
[[device]]
match = "0000:01:00.0"
profile = "sample.txt"
leave_default = true
TOML
    chmod 644 "$root"/etc/adp/*
    in_root boot-guest systemctl enable adp-apply.service
    # Its first boot, at which systemd enables what no preset forbids.
    echo uninitialized >"$root/etc/machine-id"
    # As the other suites load it: with small pools.
    echo 'options mlx5_core prof_sel=1' >"$root/etc/modprobe.d/test.conf"
    boot_guest bookworm
    if fwctl=$(tests/hca/fwctl-modules.sh sid); then
        # Loaded by its alias, as a distribution's own would be.
        cat >"$root/etc/modprobe.d/fwctl.conf" <<CONF
alias auxiliary:mlx5_core.fwctl mlx5_fwctl
install fwctl /sbin/insmod /machine$fwctl/fwctl.ko
install mlx5_fwctl /sbin/modprobe fwctl; /sbin/insmod /machine$fwctl/mlx5_fwctl.ko
CONF
        boot_guest sid -f short
    else
        echo "SKIPPED: the same by fwctl: its driver cannot be had here"
    fi
    rm -rf --one-file-system "$root"
}

# boot_guest KERNEL [OPTION] [WORD]: suite boot in the root boot-guest.
boot_guest()
{
    local kernel=$1 out=build-check/logs/boot-guest-$1.tap status=0
    shift
    echo "-- kernel of $kernel"
    SERVER=$PWD/build-check/gcc/tests/hca/server/adp-hca timeout -k 10 1500 tests/hca/run.sh \
        -k "$kernel" -t 1200 -d roce -l "build-check/logs/boot-guest-$kernel.log" \
        -r build-check/roots/boot-guest ${1:+"$1"} boot ${2:+"$2"} >"$out" || status=$?
    cat "$out"
    ! grep -q '^1\.\.0 # SKIP' "$out" || skip "$(sed -n 's/^1\.\.0 # SKIP //p' "$out")"
    [ $status -eq 0 ] && grep -q '^1\.\.[1-9]' "$out" && ! grep -q '^not ok' "$out"
}
