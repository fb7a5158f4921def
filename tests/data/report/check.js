// Put into a copy of a report: looks at the page as a reader would and tells its parent, in one
// line, how many figures it has and what is wrong with it.
const wrong = [];
addEventListener('error', (e) => wrong.push('error ' + (e.message || e.target.tagName)), true);
addEventListener('securitypolicyviolation', (e) => wrong.push('wants ' + e.blockedURI));
for (const kind of ['error', 'warn']) {
  console[kind] = (...words) => wrong.push(kind + ' ' + words.join(' '));
}

// Contrast of two colours by WCAG 2.
const luminance = (colour) => {
  const part = colour.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const colour = getComputedStyle(node).backgroundColor;
    if (!/, 0\)$|transparent/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
};

// Within the page, and not empty.
const checkBox = (node, name) => {
  const box = node.getBoundingClientRect();
  if (box.width < 200 || box.height < 100) wrong.push(`${name} is ${box.width} x ${box.height}`);
  if (box.left < 0 || box.right > document.documentElement.clientWidth) {
    wrong.push(`${name} leaves the page`);
  }
};

const checkChart = (svg) => {
  const name = svg.getAttribute('aria-label');
  if (svg.getAttribute('role') !== 'img' || !name) wrong.push('a chart without a name');
  checkBox(svg, name);
  const seen = svg.getBoundingClientRect();
  let drawn = 0;
  for (const part of svg.querySelectorAll('path, circle, polygon')) {
    const style = getComputedStyle(part);
    const ink = style.stroke !== 'none' ? style.stroke : style.fill;
    drawn += ink !== 'none' && contrast(ink, behind(svg)) >= 3 && part.getBoundingClientRect().width > 0;
  }
  if (drawn < 3) wrong.push(`${name} cannot be seen`);
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (contrast(getComputedStyle(text).fill, behind(svg)) < 4.5) wrong.push(`${name}: pale text`);
    if (box.width > 0 && (box.left < seen.left - 2 || box.right > seen.right + 2)) {
      wrong.push(`${name}: '${text.textContent}' is cut off`);
    }
  }
};

addEventListener('load', () => {
  const page = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (page.scrollWidth > page.clientWidth) wrong.push(`scrolls sideways, ${page.scrollWidth}`);
  if (page.lang !== 'en') wrong.push('no language');
  if (all('h1').length !== 1) wrong.push('not one title');
  if (!all('.mark.pass, .mark.fail').length) wrong.push('no verdict');
  for (const table of all('table')) if (!table.caption) wrong.push('a table without a caption');
  for (const link of all('a')) {
    if (!document.getElementById(link.hash.slice(1))) wrong.push(`no ${link.hash}`);
  }
  for (const fold of all('details')) fold.open = true;
  for (const node of all('p, td, th, dd, dt, figcaption, caption, summary, .mark')) {
    if (contrast(getComputedStyle(node).color, behind(node)) < 4.5) {
      wrong.push(`pale: ${node.textContent.slice(0, 30)}`);
    }
  }
  if (page.scrollWidth > page.clientWidth) wrong.push('scrolls sideways when unfolded');
  all('figure svg').forEach(checkChart);
  for (const image of all('figure img')) {
    if (!image.alt) wrong.push('a picture without words');
    if (!image.complete || !image.naturalWidth) wrong.push('a picture does not load');
    checkBox(image, image.alt);
  }
  const dark = luminance(getComputedStyle(document.body).backgroundColor) < 0.2;
  parent.postMessage(`${innerWidth} px, ${dark ? 'dark' : 'light'}, ` +
    `${all('figure').length} figures, ${wrong.length} wrong${[...new Set(wrong)].map((w) => `; ${w}`).join('')}`, '*');
});
