// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A guest for the tests: memory, a command queue in it, and the interrupts it got.
#pragma once

#include "bytes.h"
#include "client_memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

namespace adp::hca::testing {

// Memory from address 0 on, shared with what is under test through a file as QEMU's is.
class guest_memory {
  public:
    static constexpr std::size_t size = 1U << 20U;

    guest_memory() : file_{::memfd_create("guest", MFD_CLOEXEC)}
    {
        EXPECT_EQ(::ftruncate(file_.get(), size), 0);
        base_ = static_cast<std::uint8_t *>(
            ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    }
    ~guest_memory() { ::munmap(base_, size); }
    guest_memory(const guest_memory &) = delete;
    guest_memory &operator=(const guest_memory &) = delete;

    const unique_fd &file() const { return file_; }
    room at(std::size_t address, std::size_t length) { return {base_ + address, length}; }
    void announce(client_memory &memory) const
    {
        ASSERT_EQ(memory.map({0, size, 0, true, true}, file_), 0);
    }

  private:
    unique_fd file_;
    std::uint8_t *base_ = nullptr;
};

inline std::uint8_t xor_of(view data)
{
    std::uint8_t sum = 0;
    for (const std::uint8_t byte : data)
        sum = static_cast<std::uint8_t>(sum ^ byte);
    return sum;
}

// Writes commands as the kernel does (cmd.c), and reads their answers.
class command_writer {
  public:
    static constexpr std::size_t queue = 0x1000;
    static constexpr std::size_t input_blocks = 0x10000;
    static constexpr std::size_t output_blocks = 0x40000;
    static constexpr std::size_t block_distance = 1024;
    static constexpr std::uint8_t token = 0x5a;

    explicit command_writer(guest_memory &memory) : memory_(memory) {}

    room entry(unsigned slot) { return memory_.at(queue + slot * 64, 64); }
    room input_block(unsigned n) { return memory_.at(input_blocks + n * block_distance, 576); }
    room output_block(unsigned n) { return memory_.at(output_blocks + n * block_distance, 576); }

    void write(unsigned slot, view in, std::size_t out_length)
    {
        const room e = entry(slot);
        std::fill(e.begin(), e.end(), std::uint8_t{0});
        e[0] = 7;
        put32(e, 4, in.size());
        put64(e, 8, input_blocks);
        std::copy_n(in.begin(), std::min<std::size_t>(16, in.size()), e.begin() + 16);
        put64(e, 48, output_blocks);
        put32(e, 56, out_length);
        e[60] = token;
        e[63] = 1;
        sign(slot);
        for (unsigned n = 0; n < 16; n++) {
            chain(input_block(n), n, input_blocks + (n + 1) * block_distance);
            chain(output_block(n), n, output_blocks + (n + 1) * block_distance);
            for (std::size_t i = 0; i < 512 && 16 + n * 512 + i < in.size(); i++)
                input_block(n)[i] = in[16 + n * 512 + i];
        }
    }
    void sign(unsigned slot)
    {
        entry(slot)[61] = 0;
        entry(slot)[61] = static_cast<std::uint8_t>(~xor_of(entry(slot)));
    }

    bool finished(unsigned slot) { return (entry(slot)[63] & 1U) == 0; }
    unsigned delivery(unsigned slot) { return entry(slot)[63] >> 1U; }
    bytes answer(unsigned slot, std::size_t length)
    {
        bytes out(entry(slot).begin() + 32, entry(slot).begin() + 48);
        for (unsigned n = 0; out.size() < length; n++) {
            const room block = output_block(n);
            out.insert(out.end(), block.begin(),
                       block.begin() + static_cast<std::ptrdiff_t>(
                                           std::min<std::size_t>(512, length - out.size())));
        }
        return out;
    }

  private:
    static void chain(room block, unsigned number, std::size_t next)
    {
        std::fill(block.begin(), block.end(), std::uint8_t{0});
        put64(block, 560, next);
        put32(block, 568, number);
        block[573] = token;
    }
    guest_memory &memory_;
};

inline bytes command(std::uint16_t opcode, std::uint16_t modifier = 0, std::size_t length = 16)
{
    bytes in(length);
    put16(in, 0, opcode);
    put16(in, 6, modifier);
    return in;
}

// The same numbers in every run.
class numbers {
  public:
    explicit numbers(std::uint32_t seed) : state_{seed * 2654435761U + 1} {}
    std::uint32_t next()
    {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 17U;
        state_ ^= state_ << 5U;
        return state_;
    }
    std::uint32_t below(std::uint32_t n) { return next() % n; }
    template <typename T, std::size_t n> T one_of(const T (&all)[n])
    {
        return all[below(static_cast<std::uint32_t>(n))];
    }

  private:
    std::uint32_t state_;
};

} // namespace adp::hca::testing
