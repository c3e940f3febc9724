// Names and texts from outside, before they reach a terminal, a message or a file.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/units.h"
#include "history/export.h"

namespace echoloop::plain_text_test {
namespace {

using namespace std::string_literals;

TEST(PlainText, LeavesTextAsItIs) {
  for (const std::string& text : {""s, "heart 3.uff"s, "H\xc3\xa4mangiom \xe5\xbf\x83 \xf0\x9f\xab\x80"s, "a\tb\n"s}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(plain_text(text), text);
  }
}

TEST(PlainText, ASentenceBeginsWithACapitalAndAKeyDoesNot) {
  EXPECT_EQ(capitalized("frame rate unknown: neither frame_rate_hz"), "Frame rate unknown: neither frame_rate_hz");
  EXPECT_EQ(capitalized("fc_hz = 4e6, assumed by the description"), "fc_hz = 4e6, assumed by the description");
  EXPECT_EQ(capitalized("t_zero: time counted from the first firing"), "t_zero: time counted from the first firing");
}

TEST(PlainText, ReplacesWhatATerminalObeys) {
  EXPECT_EQ(plain_text("a\x1b[31mred\x1b]0;title\x07"), "a?[31mred?]0;title?");
  EXPECT_EQ(plain_text("\r\b\x7f"), "???");
  EXPECT_EQ(plain_text("\xc2\x9b"
                       "31m"),
            "?31m");  // the same sequence by one character of two bytes
  EXPECT_EQ(plain_text("a\xe2\x80\xae"
                       "ffu.b"),
            "a?ffu.b");  // right-to-left override
  EXPECT_EQ(plain_text("nul\0"s), "nul?");
}

TEST(PlainText, ReplacesBytesThatAreNotUtf8) {
  for (const std::string& bad : {"\xff"s, "\x80"s, "\xc3"s, "\xc0\xaf"s, "\xe0\x80\xaf"s, "\xed\xa0\x80"s,
                                 "\xf4\x90\x80\x80"s, "\xf8\x88\x80\x80\x80"s}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_EQ(plain_text("a" + bad + "z"), "a" + std::string(bad.size(), '?') + "z");
  }
}

TEST(PlainText, ErrorsAndJsonAreMadeOfIt) {
  const std::string name = "a\xff\x1b[2J.uff";
  EXPECT_EQ(std::string(Error(name, "line\nbreak", "a file").what()), "a??[2J.uff: line break; expected a file");
  EXPECT_EQ(json_text({{"source", name}}), "{\"source\":\"a\xef\xbf\xbd\\u001b[2J.uff\"}");
}

TEST(CountedNoun, OneIsSingular) {
  EXPECT_EQ(counted(1, "frame"), "1 frame");
  EXPECT_EQ(counted(std::size_t{0}, "frame"), "0 frames");
  EXPECT_EQ(counted(2, "transmit delay"), "2 transmit delays");
  EXPECT_EQ(plural(1U, "element"), "element");
}

}  // namespace
}  // namespace echoloop::plain_text_test
