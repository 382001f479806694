/* Charts with axes: buttons that show and hide a series, and what the lines say under the pointer. */
(function () {
  function axis(svg, name) {
    var parts = svg.getAttribute('data-' + name).split(' ');
    var low = Number(parts[0]), high = Number(parts[1]), from = Number(parts[3]), to = Number(parts[4]), log = parts[2] === 'log';
    return {
      from: from, to: to, label: parts.slice(5).join(' '),
      value: function (at) {
        var share = (at - from) / (to - from);
        return log ? low * Math.pow(high / low, share) : low + share * (high - low);
      }
    };
  }
  /* the corners of a line that runs straight (L) or flat and then jumps (H, V) */
  function points(d) {
    var at = [], x = 0, y = 0;
    (d.match(/[MLHV][^MLHV]*/g) || []).forEach(function (step) {
      var n = step.slice(1).trim().split(' ').map(Number);
      if (step[0] === 'H') { x = n[0]; } else if (step[0] === 'V') { y = n[0]; } else { x = n[0]; y = n[1]; }
      at.push([x, y]);
    });
    return at;
  }
  function height(corners, x) {
    for (var i = 1; i < corners.length; i++) {
      var a = corners[i - 1], b = corners[i];
      if (a[0] <= x && x < b[0]) { return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]); }
    }
    return null;
  }
  function words(value) { return value.toLocaleString('en-US', { maximumSignificantDigits: 3 }); }

  Array.prototype.forEach.call(document.querySelectorAll('svg.chart[data-x]'), function (svg) {
    var row = document.createElement('p'), names = {}, keys = svg.querySelectorAll('text.key');
    row.className = 'keys';
    Array.prototype.forEach.call(keys, function (key) {
      var style = key.classList[1], button = document.createElement('button');
      names[style] = key.textContent;
      button.type = 'button'; button.textContent = key.textContent; button.setAttribute('aria-pressed', 'true');
      button.addEventListener('click', function () {
        var on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        Array.prototype.forEach.call(svg.querySelectorAll('g.layer.' + style), function (layer) {
          layer.setAttribute('display', on ? 'inline' : 'none');
        });
      });
      if (keys.length > 1) { row.appendChild(button); }
    });
    var lines = svg.querySelectorAll('path.line.drawn');
    var said = document.createElement('span');
    said.setAttribute('aria-hidden', 'true');
    row.appendChild(said);
    if (row.childNodes.length > 1 || lines.length) { svg.parentNode.appendChild(row); }
    if (!lines.length) { return; }
    var x = axis(svg, 'x'), y = axis(svg, 'y');
    svg.addEventListener('pointermove', function (event) {
      var at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
      var parts = at < x.from || at > x.to ? [] : [x.label + ' ' + words(x.value(at))];
      Array.prototype.forEach.call(lines, function (line) {
        var layer = line.closest('g.layer'), h = height(points(line.getAttribute('d')), at);
        if (parts.length && h !== null && layer.getAttribute('display') !== 'none') {
          parts.push((names[layer.classList[1]] || y.label) + ' ' + words(y.value(h)));
        }
      });
      said.textContent = parts.join(' · ');
    });
  });
})();
