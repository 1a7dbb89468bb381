// What diagrams are drawn with. Pure; not thread-safe.
#pragma once

#include <cstddef>
#include <string>

namespace burnish::cli {

class Svg {
 public:
  // White, in pixels.
  Svg(double width, double height);
  // `style` is attributes: `stroke="black"`. A title is shown under the pointer.
  void Line(double x1, double y1, double x2, double y2, const std::string& style,
            const std::string& title = "");
  void Text(double x, double y, const std::string& text, const std::string& style);
  void Append(const std::string& markup);
  std::string Finish();

 private:
  std::string text_;
};

// Fit for XML, which knows no control characters at all.
std::string XmlText(const std::string& text);
// Distinct ones for the first six, then again.
const char* SvgColour(size_t index);

}  // namespace burnish::cli
