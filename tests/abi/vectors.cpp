// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The published vectors through the C verbs, one by one and in arrays. Rows about rules that are no
// verb (UCX, rxe, erdma) are tested where those rules are, in tests/unit/flow.
#include "../unit/flow/fixture.h"

#include <adp/adp.h>

#include <gtest/gtest.h>

namespace {

struct row {
    std::string line, function;
    std::uint32_t in[3];
    std::uint32_t label;
    std::uint16_t sport;
};

std::vector<row> rows_of(const std::string &function)
{
    std::vector<row> rows;
    const std::vector<std::string> lines = fixture::lines("flow_vectors.csv");
    for (std::size_t i = 1; i < lines.size(); i++) {
        const std::vector<std::string> cell = fixture::cells(lines[i]);
        row r{lines[i], cell.at(1), {}, 0, 0};
        if (!r.function.starts_with(function))
            continue;
        for (std::size_t j = 0; j < 3; j++)
            r.in[j] = cell.at(2 + j).empty() ? 0 : fixture::number(cell[2 + j]);
        r.label = cell.at(5).empty() ? 0 : fixture::number(cell[5]);
        r.sport = static_cast<std::uint16_t>(fixture::number(cell.at(6)));
        rows.push_back(r);
    }
    return rows;
}

TEST(vectors, labels_of_two_qpns)
{
    const std::vector<row> rows = rows_of("calc_flow_label+fold");
    ASSERT_EQ(rows.size(), 20U);
    std::vector<std::uint32_t> l, r, labels(rows.size());
    std::vector<std::uint16_t> sports(rows.size());
    for (const row &v : rows) {
        EXPECT_EQ(adp_calc_flow_label(v.in[0], v.in[1]), v.label) << v.line;
        EXPECT_EQ(adp_flow_label_to_udp_sport(v.label), v.sport) << v.line;
        EXPECT_EQ(adp_calc_udp_sport(0, v.in[0], v.in[1]), v.sport) << v.line;
        l.push_back(v.in[0]);
        r.push_back(v.in[1]);
    }
    adp_calc_flow_labels(l.data(), r.data(), labels.data(), rows.size());
    adp_calc_udp_sports(nullptr, l.data(), r.data(), sports.data(), rows.size());
    for (std::size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(labels[i], rows[i].label) << rows[i].line;
        EXPECT_EQ(sports[i], rows[i].sport) << rows[i].line;
    }
}

TEST(vectors, folded_labels)
{
    const std::vector<row> rows = rows_of("fold");
    ASSERT_EQ(rows.size(), 15U);
    for (const row &v : rows)
        EXPECT_EQ(adp_flow_label_to_udp_sport(v.in[0]), v.sport) << v.line;
}

TEST(vectors, ports_of_label_or_qpns)
{
    const std::vector<row> rows = rows_of("rdma_get_udp_sport");
    ASSERT_EQ(rows.size(), 5U);
    std::vector<std::uint32_t> label, l, r;
    for (const row &v : rows) {
        EXPECT_EQ(adp_calc_udp_sport(v.in[0], v.in[1], v.in[2]), v.sport) << v.line;
        label.push_back(v.in[0]);
        l.push_back(v.in[1]);
        r.push_back(v.in[2]);
    }
    // Often enough for the widest registers, and for what is left over.
    const std::size_t copies = 7, num = copies * rows.size();
    for (std::size_t i = rows.size(); i < num; i++) {
        label.push_back(label[i - rows.size()]);
        l.push_back(l[i - rows.size()]);
        r.push_back(r[i - rows.size()]);
    }
    std::vector<std::uint16_t> sports(num);
    adp_calc_udp_sports(label.data(), l.data(), r.data(), sports.data(), num);
    for (std::size_t i = 0; i < num; i++)
        EXPECT_EQ(sports[i], rows[i % rows.size()].sport) << rows[i % rows.size()].line;
}

TEST(vectors, rdma_cm)
{
    const std::vector<row> rows = rows_of("rdma_cm");
    ASSERT_EQ(rows.size(), 11U);
    for (const row &v : rows) {
        EXPECT_EQ(adp_cm_flow_label(static_cast<std::uint16_t>(v.in[0]),
                                    static_cast<std::uint16_t>(v.in[1])),
                  v.label)
            << v.line;
        EXPECT_EQ(adp_flow_label_to_udp_sport(v.label), v.sport) << v.line;
    }
}

TEST(vectors, labels_of_ports)
{
    const std::vector<row> rows = rows_of("inverse");
    ASSERT_EQ(rows.size(), 5U);
    for (const row &v : rows)
        EXPECT_EQ(adp_udp_sport_to_flow_label(static_cast<std::uint16_t>(v.in[0])), v.label)
            << v.line;
}

} // namespace
