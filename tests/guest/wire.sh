# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034 # what it sets is for the caller
# In the guest: two rxe devices on a real wire that loses, delays, cuts and records. Source it.
#
#   wire_up                        rxe0 at 10.9.0.1, rxe1 at 10.9.0.2, a switch between them
#   wire_loss TO PERCENT           TO is the device that packets go to: rxe0 or rxe1
#   wire_delay TO TIME [JITTER]    as tc-netem writes them: 3ms 2ms (jitter puts packets out of order)
#   wire_drop TO [UDP SOURCE PORT] black hole, or only the flow of that port; more than one port
#   wire_dropped TO                how many packets were dropped so
#   wire_count TO, wire_counted TO how many packets of RoCEv2 set out for it, lost ones too
#   wire_heal                      no loss, no delay, no drop
#   wire_record FILE, wire_stop    RoCEv2 packets of both directions, as a pcap file
#   wire_flows FILE                what is in it: TO SOURCE-PORT PACKETS, a line each
#   probe_open [KEY=VALUE]...      a queue pair on each device, connected: rc_probe.c; sets $lqpn (on
#                                  rxe0) and $rqpn (on rxe1)
#   probe_write NUMBER             RDMA writes from rxe0 to rxe1, each waited for; sets $written,
#                                  $wc_status (0, or the ibv_wc_status that ended it) and $took_ns
#   probe_close
#
# The wire: va - fa (switch in the namespace "fabric") fb - vb. Both ends are in the initial
# namespace, as rxe of 6.1 has its sockets there alone, and two addresses of one namespace would
# talk by "lo", where rxe does not see them. Hence the routing rules: what was made here for the
# other end's address goes out by the veth, and may come in again (accept_local).

wire_port()
{
    case $1 in
    rxe0) echo fa ;;
    rxe1) echo fb ;;
    *)
        echo "wire: no device $1" >&2
        return 1
        ;;
    esac
}

# The port of the switch at which packets to that device come in.
wire_source()
{
    case $1 in
    rxe0) wire_port rxe1 ;;
    *) wire_port rxe0 ;;
    esac
}

wire_up()
(
    set -e
    modprobe -a rdma_rxe ib_uverbs veth bridge
    ip netns add fabric
    ip link add va type veth peer name fa netns fabric
    ip link add vb type veth peer name fb netns fabric
    # "br" alone would be read as "broadcast".
    ip -n fabric link add name switch type bridge mcast_snooping 0
    for port in fa fb; do
        ip -n fabric link set "$port" master switch up
        ip netns exec fabric tc qdisc add dev "$port" clsact
    done
    ip -n fabric link set switch up
    for link in va vb; do
        echo 1 >/proc/sys/net/ipv4/conf/$link/accept_local
        echo 0 >/proc/sys/net/ipv4/conf/$link/rp_filter
        echo 1 >/proc/sys/net/ipv4/conf/$link/arp_ignore
        echo 2 >/proc/sys/net/ipv4/conf/$link/arp_announce
    done
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    ip addr add 10.9.0.1/24 dev va
    ip addr add 10.9.0.2/24 dev vb
    ip link set va up
    ip link set vb up
    ip rule add pref 10 iif lo from 10.9.0.1 to 10.9.0.2 lookup 101
    ip rule add pref 11 iif lo from 10.9.0.2 to 10.9.0.1 lookup 102
    ip route add 10.9.0.2 dev va src 10.9.0.1 table 101
    ip route add 10.9.0.1 dev vb src 10.9.0.2 table 102
    ip rule add pref 100 lookup local
    ip rule del pref 0
    rdma link add rxe0 type rxe netdev va
    rdma link add rxe1 type rxe netdev vb
    # GIDs come some time after the device.
    for _ in $(seq 200); do
        grep -qs ':ffff:0a09:0001' /sys/class/infiniband/rxe0/ports/1/gids/* &&
            grep -qs ':ffff:0a09:0002' /sys/class/infiniband/rxe1/ports/1/gids/* && exit 0
        sleep 0.1
    done
    echo "wire: the devices have no GID after 20 s" >&2
    exit 1
)

wire_netem()
{
    local port
    port=$(wire_port "$1") || return
    shift
    ip netns exec fabric tc qdisc replace dev "$port" root netem limit 100000 "$@"
}

wire_loss() { wire_netem "$1" loss "$2"; }
wire_delay() { wire_netem "$1" delay "${@:2}"; }

# wire_filter TO MATCH... action ACTION: for what comes in for that device, and is counted so.
wire_filter()
{
    local port
    port=$(wire_source "$1") || return
    ip netns exec fabric tc filter add dev "$port" ingress protocol ip "${@:2}"
}

wire_drop()
{
    local match=(matchall)
    [ -z "${2:-}" ] || match=(flower ip_proto udp src_port "$2" dst_port 4791)
    wire_filter "$1" "${match[@]}" action drop
}
wire_count() { wire_filter "$1" flower ip_proto udp dst_port 4791 action pass; }

wire_dropped() { wire_counted "$1"; }
wire_counted()
{
    ip netns exec fabric tc -s filter show dev "$(wire_source "$1")" ingress |
        sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'
}

wire_impaired() { ip netns exec fabric tc qdisc show dev "$1" | grep -q netem; }
# Without an ingress discipline there is no filter, which tc calls an error.
wire_filtered() { ip netns exec fabric tc filter show dev "$1" ingress 2>/dev/null | grep -q .; }

wire_heal()
{
    local port
    for port in fa fb; do
        ! wire_impaired "$port" || ip netns exec fabric tc qdisc del dev "$port" root
        ! wire_filtered "$port" || ip netns exec fabric tc filter del dev "$port" ingress
        # What is to follow would be judged on a wire that is not whole.
        if wire_impaired "$port" || wire_filtered "$port"; then
            echo "wire_heal: $port is not as it was" >&2
            exit 1
        fi
    done
}

# Each packet is seen once: at the port by which it comes into the switch. Immediate mode, else the
# last ones are never read.
wire_record()
{
    local port
    wire_file=$1 wire_pids=
    for port in fa fb; do
        ip netns exec fabric tcpdump --immediate-mode -Z root -nn -i "$port" -Q in -s 100 -U \
            -w "$1.$port" 'udp dst port 4791' 2>"$1.$port.log" &
        wire_pids+=" $!"
    done
    for port in fa fb; do
        for _ in $(seq 200); do
            grep -q listening "$1.$port.log" && break
            sleep 0.05
        done
    done
}

wire_stop()
{
    sleep 0.3
    # shellcheck disable=SC2086 # process ids
    kill $wire_pids && wait $wire_pids 2>/dev/null
    cat "$wire_file".f?.log >"$wire_file.log"
}

wire_flows()
{
    local port to
    for port in fa fb; do
        [ "$port" = fa ] && to=rxe1 || to=rxe0
        tcpdump -nn -r "$1.$port" 2>/dev/null | sed -n 's/.* IP [0-9.]*\.\([0-9]*\) > .*/\1/p' |
            sort | uniq -c | awk -v to="$to" '{ print to, $2, $1 }'
    done
}

probe_open()
{
    local line
    coproc PROBE { exec "${RC_PROBE:?}" rxe0 rxe1 "$@"; }
    # The shell forgets the pipes when the program ends; what it said last is still to be read.
    exec {probe_out}<&"${PROBE[0]}" {probe_in}>&"${PROBE[1]}"
    eval "exec ${PROBE[0]}<&- ${PROBE[1]}>&-"
    # shellcheck disable=SC2153 # coproc sets it
    probe_pid=$PROBE_PID
    read -r -t 60 line <&"$probe_out" || return
    IFS='= ' read -r _ lqpn _ rqpn <<<"$line"
}

probe_write()
{
    local line
    written='' wc_status='' took_ns=''
    echo "write $1" >&"$probe_in"
    read -r -t "${probe_timeout:-120}" line <&"$probe_out" || return
    IFS='= ' read -r _ written _ wc_status _ took_ns <<<"$line"
}

probe_close()
{
    exec {probe_in}>&- {probe_out}<&-
    wait "$probe_pid"
}
