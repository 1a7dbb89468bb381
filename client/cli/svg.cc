#include "client/cli/svg.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/utf8_text.h"

namespace burnish::cli {

Svg::Svg(double width, double height) {
  absl::StrAppendFormat(&text_,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                        "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                        width, height, width, height);
}

void Svg::Line(double x1, double y1, double x2, double y2, const std::string& style,
               const std::string& title) {
  absl::StrAppendFormat(&text_, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s", x1, y1,
                        x2, y2, style);
  if (title.empty()) {
    absl::StrAppend(&text_, "/>\n");
  } else {
    absl::StrAppend(&text_, "><title>", XmlText(title), "</title></line>\n");
  }
}

void Svg::Text(double x, double y, const std::string& text, const std::string& style) {
  absl::StrAppendFormat(&text_, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, style,
                        XmlText(text));
}

void Svg::Append(const std::string& markup) { text_ += markup; }

std::string Svg::Finish() { return absl::StrCat(text_, "</svg>\n"); }

std::string XmlText(const std::string& text) {
  std::string escaped;
  for (const char c : Utf8Text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

const char* SvgColour(size_t index) {
  static constexpr std::array kColours = {"#1f77b4", "#2ca02c", "#ff7f0e",
                                          "#d62728", "#9467bd", "#8c564b"};
  return kColours[index % kColours.size()];
}

}  // namespace burnish::cli
