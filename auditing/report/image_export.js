// A figure as SVG and PNG, in the colours of light mode: those of dark mode come from the page's style sheet.

const PIXELS_PER_UNIT = 4;

function figureSvg(svg) {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

async function figurePng(svg) {
  const address = URL.createObjectURL(new Blob([figureSvg(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const { width, height } = svg.viewBox.baseVal;
    const canvas = element("canvas", { width: width * PIXELS_PER_UNIT, height: height * PIXELS_PER_UNIT });
    const context = canvas.getContext("2d");
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise(resolve => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
