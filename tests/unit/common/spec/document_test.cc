#include "common/spec/document.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"

namespace burnish::spec {
namespace {

std::unique_ptr<const Document> Parse(const std::string& text) {
  absl::StatusOr<std::unique_ptr<const Document>> document = Document::Parse("f.yaml", text);
  EXPECT_TRUE(document.ok()) << document.status();
  return document.ok() ? *std::move(document) : nullptr;
}

std::string RefusalOf(const std::string& text) {
  return std::string(Document::Parse("f.yaml", text).status().message());
}

TEST(DocumentTest, KnowsPathsAndPlaces) {
  const auto document = Parse("a:\n  b: [1, {c: 'x y'}]\n");
  const Node* list = document->root().Find("a")->Find("b");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->children.size(), 2u);
  const Node* leaf = list->children[1]->Find("c");
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->Path(), "a.b[1].c");
  EXPECT_EQ(leaf->place.line, 2);
  EXPECT_EQ(leaf->place.column, 14);
  EXPECT_EQ(leaf->key_place.column, 11);
  EXPECT_EQ(leaf->text, "x y");
  EXPECT_EQ(document->root().Path(), "");
  EXPECT_EQ(document->Line(2), "  b: [1, {c: 'x y'}]");
  EXPECT_EQ(document->Line(3), "");
}

TEST(DocumentTest, QuotesMakeStrings) {
  const auto document = Parse("[1, '1', \"true\", true, ~]");
  const auto& items = document->root().children;
  EXPECT_EQ(items[0]->value, expr::Value(int64_t{1}));
  EXPECT_EQ(items[1]->value, expr::Value(std::string("1")));
  EXPECT_EQ(items[2]->value, expr::Value(std::string("true")));
  EXPECT_EQ(items[3]->value, expr::Value(true));
  EXPECT_EQ(items[4]->kind, Node::Kind::kNull);
}

TEST(DocumentTest, AcceptsByteOrderMarkAndWindowsLineEnds) {
  const auto document = Parse(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: x\r\n");
  EXPECT_EQ(document->root().Find("b")->text, "x");
  EXPECT_EQ(document->Line(2), "b: x");
}

TEST(DocumentTest, ColumnsCountCharacters) {
  EXPECT_EQ(RefusalOf("größe: {ä: 010}"),
            "f.yaml:1:12: größe.ä: the number '010' has leading zeros");
}

TEST(DocumentTest, RefusesWhatIsNotText) {
  EXPECT_EQ(RefusalOf("a: \xFF\n"), "f.yaml:1:4: the file is not UTF-8");
  EXPECT_EQ(RefusalOf("a: 1\nb: \x01\n"), "f.yaml:2:4: the file holds a control character");
  const absl::Status status = Document::Parse("f.yaml", "a: \xFF\n").status();
  EXPECT_EQ(DiagnosticOf(status)->excerpt, "");
}

TEST(DocumentTest, RefusesWhatIsTooLarge) {
  EXPECT_EQ(RefusalOf(std::string(limits::kJobFileBytes + 1, ' ')),
            "f.yaml: a job file may have 1048576 bytes, this one has 1048577");
}

TEST(DocumentTest, RefusesAliasesAnchorsAndTagsWithTheirPath) {
  EXPECT_EQ(RefusalOf("a: &x 1\nb: *x"), "f.yaml:1:4: a: anchors (&name) are not accepted");
  EXPECT_EQ(RefusalOf("a: [1, *x]"), "f.yaml:1:8: aliases (*name) are not accepted");
  EXPECT_EQ(RefusalOf("a: [1, !t 2]"), "f.yaml:1:8: a[1]: tags (!name) are not accepted");
  EXPECT_EQ(RefusalOf("!!map {a: 1}"), "f.yaml:1:1: tags (!name) are not accepted");
}

TEST(DocumentTest, SurvivesDeepNesting) {
  for (const char* open : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    while (text.size() < 100'000) text += open;
    EXPECT_FALSE(Document::Parse("f.yaml", text).ok()) << open;
  }
}

TEST(DocumentTest, ShowsNoVeryLongLines) {
  const std::string text = "a: 010 #" + std::string(1000, 'x');
  EXPECT_EQ(DiagnosticOf(Document::Parse("f.yaml", text).status())->excerpt, "");
}

}  // namespace
}  // namespace burnish::spec
