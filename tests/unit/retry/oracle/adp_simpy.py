# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The ADP profile and a queue pair under it, written plainly with SimPy from the vendor's text and
the list of readings: the independent oracle of the simulator. Nothing is shared with the library."""
import simpy

NS_PER_US = 1000
LONG_TIME = 2 ** 62
MASK = 2 ** 64 - 1


class Splitmix:
    """The public domain generator splitmix64."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return 0 if n < 2 else self.next() % n


def stream(seed, index):
    """The generator of queue pair `index`."""
    first = Splitmix(seed).next()
    chance = Splitmix(first ^ (index * 0xd1342543de82ef95 & MASK))
    chance.next()
    return chance


def ack_timeout(code):
    return 4096 * 2 ** code


class Timeouts:
    """The present timeout of one queue pair, in exponents of the base."""

    def __init__(self, profile, qp, readings):
        self.p, self.qp, self.r = profile, qp, readings
        self.base = profile["time_base"] * NS_PER_US
        self.ranges = []
        for number in range(profile["range_num"]):
            r = profile["timeout_range"][number]
            low, size = r["range_low_bound"], r["range_size"]
            values = list(range(low, low + size + 1))
            matches = list(values)
            if not readings["range_top_inclusive"] and size:
                values.pop()
            if readings["match_open_top"] and size:
                matches.pop()
            self.ranges.append({
                "values": values, "matches": matches, "low": low,
                "uses": max(1, r["timeout_retry_num"] + readings["retry_num_extra"]),
                "dec": r["dec_mode"], "prev": r["prev_range_index"]})
        self.exponent = None  # not drawn yet
        self.range = None     # None: the initial value is in use
        self.uses = 0
        self.expiries = 0     # since the last progress

    def draw(self, chance):
        if self.exponent is not None:
            return
        low, size = self.p["timeout_init_low_bound"], self.p["timeout_init_range_size"]
        possible = list(range(low, low + size + (1 if self.r["init_inclusive_top"] else 0))) or [low]
        self.exponent = possible[chance.below(len(possible))]

    def wait(self):
        t = min(self.base * 2 ** self.exponent, LONG_TIME)
        t = max(t, self.r["floor_ns"])
        timeout = self.qp["timeout"]
        if timeout and self.r["cap_uses_floor"] != 2:
            t = min(t, ack_timeout(max(timeout, 16) if self.r["cap_uses_floor"] else timeout))
        return t

    def total(self):
        """None: there is none."""
        if self.p["qp_total_timeout"]:
            if self.qp["timeout"] == 0:
                return None
            count = self.qp["extended_retry_cnt"] or self.qp["retry_cnt"]
            return ack_timeout(self.qp["timeout"]) * (count + self.r["total_adds_one"])
        if self.r["total_is_factor"]:
            return self.base * self.p["retx_total_timeout"]
        return min(self.base * 2 ** self.p["retx_total_timeout"], LONG_TIME)

    def expired(self, elapsed):
        """False: the queue pair fails."""
        total = self.total()
        if total is not None and elapsed >= total:
            return False
        if self.r["retry_cnt_counts"] and self.expiries >= self.qp["retry_cnt"]:
            return False
        self.expiries += 1
        self.uses += 1
        if self.range is None:
            if self.uses < self.r["initial_uses"]:
                return True
            inside = [i for i, r in enumerate(self.ranges) if self.exponent in r["matches"]]
            self.uses = 0
            if not inside or self.r["start_always"]:
                self.range = self.p["start_range_index"]
                self.exponent = self.ranges[self.range]["low"]
                return True
            self.range = inside[0]
            return self.grow()
        here = self.ranges[self.range]
        wanted = here["uses"]
        if self.r["uses_first_only"] and self.exponent != here["low"]:
            wanted = 1
        return True if self.uses < wanted else self.grow()

    def grow(self):
        self.uses = 0
        if self.exponent < self.ranges[self.range]["values"][-1]:
            self.exponent += 1
            return True
        if self.range + 1 == len(self.ranges):
            return not self.r["fail_after_last"]
        self.range += 1
        low = self.ranges[self.range]["low"]
        self.exponent = low if self.r["next_may_shrink"] else max(low, self.exponent)
        return True

    def progress(self):
        self.expiries = 0
        if self.range is None:
            return
        self.uses = 0
        here = self.ranges[self.range]
        if self.exponent <= here["low"]:
            self.previous()
            return
        names = ["by 4", "by 2"]
        if self.r["dec_text_order"]:
            names.reverse()
        how = names[here["dec"]] if here["dec"] < 2 else "to low"
        steps = {"by 4": 2, "by 2": 1, "to low": self.exponent}[how]
        self.exponent = max(self.exponent - steps, here["low"])
        if self.r["prev_on_reach"] and self.exponent == here["low"]:
            self.previous()

    def previous(self):
        prev = self.ranges[self.range]["prev"]
        usable = prev < (len(self.ranges) if self.r["prev_unchecked"] else self.range)
        if not usable or prev == self.range:
            return
        self.range = prev
        values = self.ranges[prev]["values"]
        entry = values[0] if self.r["prev_enter_low"] else values[-1]
        self.exponent = min(entry, self.exponent)


class Windows:
    def __init__(self, windows):
        self.windows = windows

    def at(self, t):
        for start, length in self.windows:
            if start <= t < start + length:
                return start, start + length
        return None

    def held(self, t):
        """When something leaves that is there at t: after the pause."""
        while self.at(t):
            t = self.at(t)[1]
        return t


class QueuePair:
    """Sends one message after the other over a path with outages, pauses, loss, delay."""

    def __init__(self, env, scenario, index, keep_events=True):
        self.env, self.s = env, scenario
        self.chance = stream(scenario["seed"], index)
        self.own_chance = Splitmix(self.chance.next())
        self.start = self.chance.below(scenario["spread"] + 1)
        self.timeouts = Timeouts(scenario["profile"], scenario["qp"], scenario["readings"])
        self.outages, self.pauses = Windows(scenario["outages"]), Windows(scenario["pauses"])
        self.threshold = scenario["loss_ppb"] * 2 ** 64 // 10 ** 9
        self.keep_events = keep_events
        self.events = []
        self.since = 0
        self.deadline = None
        self.count = dict.fromkeys(["messages", "transmissions", "retransmissions", "spurious",
                                    "timer_events", "naks", "died", "latency_sum_ns",
                                    "latency_max_ns"], 0)
        self.detection, self.recovery = [], None

    def note(self, kind, resent=False, status=0, wait=0):
        if self.keep_events:
            self.events.append([self.env.now, kind, int(resent), status, wait])

    def arm(self):
        t = self.timeouts.wait()
        factor = self.s["delay_factor"]
        if factor > 1 and t < LONG_TIME // 4:
            t += self.own_chance.below((factor - 1) * t + 1)
        total = self.timeouts.total()
        if self.s["readings"]["truncate_last"] and total is not None:
            end = self.since + total
            if self.env.now < end < self.env.now + t:
                t = end - self.env.now
        self.deadline = self.env.now + t
        return t

    def run(self):
        s = self.s
        yield self.env.timeout(self.start)
        sent = 0
        while self.env.now < s["duration"] and (not s["messages"] or sent < s["messages"]):
            alive = yield self.env.process(self.message())
            if not alive:
                break
            sent += 1
            yield self.env.timeout(s["gap"])

    def message(self):
        posted = self.since = self.env.now
        self.acked = 0      # packets that need not be sent again
        self.received = 0   # packets that the peer has, in order
        self.nak_sent = False
        self.answers = []   # (time, "ack" or the packet that a NAK asks for)
        self.hit = None     # the last outage that took a packet
        self.timeouts.draw(self.own_chance)
        wait = self.arm()
        self.count["transmissions"] += self.s["packets"]
        self.note("sent", wait=wait)
        self.send(0)
        while True:
            answer = min((t for t, _ in self.answers), default=None)
            if answer is not None and answer <= self.deadline:
                yield self.env.timeout(answer - self.env.now)
                first = [a for a in self.answers if a[0] == answer]
                what = "ack" if any(a[1] == "ack" for a in first) else first[0][1]
                self.answers.remove((answer, what))
                if what == "ack":
                    self.acknowledged(posted)
                    return True
                self.go_back(what)
                continue
            yield self.env.timeout(self.deadline - self.env.now)
            self.count["timer_events"] += 1
            if not self.timeouts.expired(self.env.now - self.since):
                self.dies()
                return False
            if any(what == "ack" for _, what in self.answers):
                self.count["spurious"] += self.s["packets"] - self.acked
            self.note("expired", resent=True, wait=self.arm())
            self.again()

    def go_back(self, wanted):
        self.count["naks"] += 1
        if wanted < self.acked:
            self.note("nak")
            return
        self.acked = wanted
        self.note("nak", resent=True, wait=self.arm())
        self.again()

    def again(self):
        packets = self.s["packets"] - self.acked
        self.count["transmissions"] += packets
        self.count["retransmissions"] += packets
        self.send(self.acked)

    def acknowledged(self, posted):
        took = self.env.now - posted
        self.count["messages"] += 1
        self.count["latency_sum_ns"] += took
        self.count["latency_max_ns"] = max(self.count["latency_max_ns"], took)
        self.timeouts.progress()
        self.note("acknowledged")
        if self.hit:
            after = max(0, self.env.now - self.hit[1])
            self.recovery = after if self.recovery is None else max(after, self.recovery)

    def dies(self):
        self.note("expired", status=12)
        self.count["died"] += 1
        begin = self.hit[0] if self.hit else self.since
        self.detection.append(self.env.now - min(self.env.now, begin))

    def lost(self):
        return self.threshold != 0 and self.chance.next() < self.threshold

    def send(self, first):
        """All packets from `first` on leave together; finds out what comes back, and when."""
        leaves = self.pauses.held(self.env.now)
        if self.outages.at(leaves):
            self.hit = self.outages.at(leaves)
            return
        jitter = self.s["jitter"]
        arrives = leaves + self.s["rtt"] // 2 + (self.chance.below(jitter + 1) if jitter else 0)
        answer = None
        for number in range(first, self.s["packets"]):
            if self.lost():
                continue
            if number == self.received:
                self.received += 1
                self.nak_sent = False
                if answer != "ack":
                    answer = None  # what was missing before is there now
            elif number > self.received and not self.nak_sent:
                answer = self.received
            if number + 1 == self.s["packets"] and self.received == self.s["packets"]:
                answer = "ack"
        if answer is None:
            return
        self.nak_sent = self.nak_sent or answer != "ack"
        back = self.pauses.held(arrives)
        if self.outages.at(back):
            self.hit = self.outages.at(back)
            return
        if self.lost():
            return
        self.answers.append((back + self.s["rtt"] - self.s["rtt"] // 2, answer))


def play(scenario, index=0, keep_events=True):
    env = simpy.Environment()
    qp = QueuePair(env, scenario, index, keep_events)
    env.process(qp.run())
    env.run()
    return qp
