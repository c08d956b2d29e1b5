/// The script of the report's pages: zoom, search, light and dark. Without it, all of the report can still be read.
enum ReportScript {
  static let text = #"""
    // @ts-check
    'use strict';
    (() => {
      const root = document.documentElement;
      /** @param {string} id */
      const byID = id => document.getElementById(id);
      /** @param {string} text */
      const say = text => { const said = byID('said'); if (said) said.textContent = text; };

      // Light and dark: the reader's choice outlives the page where the browser allows it.
      const theme = {
        read() { try { return localStorage.getItem('strata-theme'); } catch { return null; } },
        /** @param {string} value */
        write(value) { root.dataset.theme = value; try { localStorage.setItem('strata-theme', value); } catch {} },
      };
      const chosen = theme.read();
      if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
      byID('theme')?.addEventListener('click', () => {
        const isDark = root.dataset.theme
          ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        theme.write(isDark ? 'light' : 'dark');
        say(isDark ? 'light' : 'dark');
      });

      // Versions
      byID('versions')?.addEventListener('change', event => {
        const select = /** @type {HTMLSelectElement} */ (event.target);
        location.href = encodeURIComponent(select.value) + '.html' + location.hash;
      });
      /** @param {string} rel */
      const follow = rel => /** @type {HTMLAnchorElement|null} */ (document.querySelector(`a[rel=${rel}]`))?.click();

      // A link to a model opens its table.
      const open = () => {
        const target = byID(decodeURIComponent(location.hash.slice(1)));
        if (target instanceof HTMLDetailsElement) { target.open = true; target.scrollIntoView({block: 'nearest'}); }
      };
      addEventListener('hashchange', open);
      open();

      // The diagram: a window onto it that moves and grows.
      const canvas = byID('canvas');
      const svg = /** @type {SVGSVGElement|null} */ (canvas?.querySelector('svg') ?? null);
      const size = svg ? {w: Number(svg.getAttribute('width')), h: Number(svg.getAttribute('height'))} : {w: 1, h: 1};
      let view = {x: 0, y: 0, w: size.w, h: size.h};
      let closeness = 0;
      const show = () => {
        svg?.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
        const scale = canvas ? canvas.clientWidth / view.w : 1;
        const step = scale < .5 ? Math.round(Math.log2(scale) * 2) : 0;
        if (step !== closeness) { closeness = step; labels(2 ** (step / 2)); }
      };
      /** From afar, a model is its name, as large as its box allows.
       * @param {number} scale */
      const labels = scale => {
        svg?.classList.toggle('far', closeness !== 0);
        for (const model of svg?.querySelectorAll('.model') ?? []) {
          const name = /** @type {SVGTextElement|null} */ (model.querySelector('.name'));
          const card = model.querySelector('.card');
          if (!name || !card) continue;
          name.dataset.whole ??= name.textContent ?? '';
          if (closeness === 0) {
            name.style.fontSize = '';
            name.textContent = name.dataset.whole;
            name.setAttribute('x', '12');
            name.setAttribute('y', '19');
            name.setAttribute('text-anchor', 'start');
            continue;
          }
          const [w, h] = [Number(card.getAttribute('width')), Number(card.getAttribute('height'))];
          const words = (name.dataset.whole ?? '').split(/(?<=[a-z0-9])(?=[A-Z])|(?<=_)/);
          let best = {font: 0, lines: ['']};
          for (let count = 1; count <= Math.min(4, words.length); count += 1) {
            const lines = [''];
            const limit = (name.dataset.whole ?? '').length / count;
            for (const word of words) {
              const last = lines[lines.length - 1] ?? '';
              if (last !== '' && last.length + word.length / 2 > limit && lines.length < count) lines.push(word);
              else lines[lines.length - 1] = last + word;
            }
            const longest = Math.max(...lines.map(line => line.length));
            const font = Math.max(10, Math.min(13 / scale, h * .85 / (lines.length * 1.15), (w - 10) / (longest * .67)));
            if (font > best.font) best = {font, lines};
          }
          name.style.fontSize = best.font + 'px';
          name.setAttribute('text-anchor', 'middle');
          name.setAttribute('y', '0');
          const tall = best.font * 1.15 * best.lines.length;
          const top = Math.min((h - tall) / 2, 40 / scale) + best.font * .92;
          name.replaceChildren(...best.lines.map((line, index) => {
            const span = document.createElementNS('http://www.w3.org/2000/svg', 'tspan');
            span.setAttribute('x', String(w / 2));
            span.setAttribute('y', String(top + index * best.font * 1.15));
            span.textContent = line;
            return span;
          }));
        }
      };
      const ratio = () => canvas ? canvas.clientWidth / Math.max(1, canvas.clientHeight) : 1;
      /** Shows a rectangle, in the canvas's own proportions.
       * @param {number} x @param {number} y @param {number} w @param {number} h */
      const fit = (x, y, w, h) => {
        const r = ratio();
        const width = Math.max(w, h * r);
        const height = width / r;
        view = {x: x - (width - w) / 2, y: y - (height - h) / 2, w: width, h: height};
        show();
      };
      const all = () => fit(0, 0, size.w, size.h);
      /** @param {number} factor @param {number} [cx] @param {number} [cy] */
      const zoom = (factor, cx = .5, cy = .5) => {
        const w = Math.min(Math.max(view.w * factor, 120), size.w * 6 + 2000);
        const h = w / ratio();
        view = {x: view.x + (view.w - w) * cx, y: view.y + (view.h - h) * cy, w, h};
        show();
      };
      if (canvas && svg) {
        canvas.classList.add('live');
        canvas.style.setProperty('--tall', Math.max(300, Math.min(900, size.h * Math.min(1.4, canvas.clientWidth / size.w))) + 'px');
        // As much as can be read at once; a small diagram is not blown up.
        const start = () => {
          const scale = Math.min(canvas.clientWidth / size.w, canvas.clientHeight / size.h);
          if (scale > 1.4) fit(size.w / 2 - canvas.clientWidth / 2.8, size.h / 2 - canvas.clientHeight / 2.8, canvas.clientWidth / 1.4, canvas.clientHeight / 1.4);
          else all();
        };
        start();
        addEventListener('resize', start);
        canvas.addEventListener('wheel', event => {
          if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas && !document.fullscreenElement) return;
          event.preventDefault();
          const box = canvas.getBoundingClientRect();
          zoom(Math.exp(event.deltaY * .0015), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
        }, {passive: false});
        /** @type {Map<number, {x: number, y: number}>} */
        const pointers = new Map();
        let moved = 0;
        canvas.addEventListener('pointerdown', event => {
          pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
          moved = 0;
        });
        canvas.addEventListener('pointermove', event => {
          const last = pointers.get(event.pointerId);
          if (!last) return;
          const scale = view.w / canvas.clientWidth;
          const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
          if (pointers.size === 2) {
            const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1] ?? last;
            const before = Math.hypot(last.x - other.x, last.y - other.y);
            const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
            if (after > 0) zoom(before / after);
          } else {
            view.x -= dx * scale; view.y -= dy * scale; show();
          }
          moved += Math.abs(dx) + Math.abs(dy);
          if (moved > 6) { canvas.classList.add('drag'); canvas.setPointerCapture(event.pointerId); }
          pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
        });
        const lift = (/** @type {PointerEvent} */ event) => { pointers.delete(event.pointerId); canvas.classList.remove('drag'); };
        canvas.addEventListener('pointerup', lift);
        canvas.addEventListener('pointercancel', lift);
        canvas.addEventListener('click', event => {
          if (moved > 6) { event.preventDefault(); return; }
          const model = /** @type {Element} */ (event.target).closest('.model');
          near(model?.getAttribute('data-model') ?? null);
        }, true);
        canvas.addEventListener('keydown', event => {
          const step = view.w * .08;
          const key = event.key;
          if (key === 'ArrowLeft') view.x -= step;
          else if (key === 'ArrowRight') view.x += step;
          else if (key === 'ArrowUp') view.y -= step;
          else if (key === 'ArrowDown') view.y += step;
          else if (key === '+' || key === '=') { zoom(.8); event.preventDefault(); return; }
          else if (key === '-') { zoom(1.25); event.preventDefault(); return; }
          else if (key === '0') { all(); event.preventDefault(); return; }
          else return;
          event.preventDefault();
          show();
        });
        // What is reached by the keyboard is brought into view.
        svg.addEventListener('focusin', event => {
          const model = /** @type {Element} */ (event.target).closest('.model');
          if (model && moved === 0) reveal([model], false);
        });
        byID('zoom-in')?.addEventListener('click', () => zoom(.75));
        byID('zoom-out')?.addEventListener('click', () => zoom(1.33));
        byID('zoom-all')?.addEventListener('click', () => { near(null); all(); });
        byID('wide')?.addEventListener('click', () => canvas.requestFullscreen?.());
        byID('save')?.addEventListener('click', save);
      }

      /** Shows what a model is linked with.
       * @param {string|null} name */
      function near(name) {
        if (!svg) return;
        svg.classList.toggle('dim', name !== null);
        for (const element of svg.querySelectorAll('.near')) element.classList.remove('near');
        if (name === null) return;
        const names = new Set([name]);
        for (const edge of svg.querySelectorAll('.edge')) {
          const [from, to] = [edge.getAttribute('data-from') ?? '', edge.getAttribute('data-to') ?? ''];
          if (from !== name && to !== name) continue;
          edge.classList.add('near');
          names.add(from).add(to);
        }
        for (const model of svg.querySelectorAll('.model')) {
          if (names.has(model.getAttribute('data-model') ?? '')) model.classList.add('near');
        }
        say(`${name} is linked with ${names.size - 1} other models`);
      }

      /** Brings models into view.
       * @param {Element[]} models @param {boolean} closely */
      function reveal(models, closely) {
        let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
        for (const model of models) {
          const place = /(-?\d+) (-?\d+)/.exec(model.getAttribute('transform') ?? '');
          const card = model.querySelector('.card');
          if (!place || !card) continue;
          const [x, y] = [Number(place[1]), Number(place[2])];
          left = Math.min(left, x); top = Math.min(top, y);
          right = Math.max(right, x + Number(card.getAttribute('width')));
          bottom = Math.max(bottom, y + Number(card.getAttribute('height')));
        }
        if (left === Infinity) return;
        const isInside = left >= view.x && top >= view.y && right <= view.x + view.w && bottom <= view.y + view.h;
        if (closely) fit(left - 80, top - 60, Math.max(right - left + 160, 700), Math.max(bottom - top + 120, 420));
        else if (!isInside) { view.x = (left + right) / 2 - view.w / 2; view.y = top - view.h * .15; show(); }
      }

      // Search: models and properties of the diagram, changes, versions, tables.
      const search = /** @type {HTMLInputElement|null} */ (byID('search'));
      /** @param {boolean} goes */
      const find = goes => {
        const text = (search?.value ?? '').trim().toLowerCase();
        let count = 0;
        for (const element of document.querySelectorAll('[data-text]')) {
          const isHit = (element.getAttribute('data-text') ?? '').toLowerCase().includes(text);
          element.classList.toggle('gone', text !== '' && !isHit);
          if (isHit) count += 1;
        }
        /** @type {Element[]} */
        const hits = [];
        for (const model of svg?.querySelectorAll('.model') ?? []) {
          const isHit = text !== '' && (model.textContent ?? '').toLowerCase().includes(text);
          model.classList.toggle('hit', isHit);
          model.classList.toggle('near', isHit);
          if (isHit) hits.push(model);
        }
        svg?.classList.toggle('dim', text !== '' && hits.length > 0);
        if (text !== '') say(`${hits.length} ${hits.length === 1 ? 'model' : 'models'} in the diagram, ${count} entries below`);
        else say('');
        if (hits.length > 0) reveal(goes && hits[0] ? [hits[0]] : hits, true);
        if (goes) canvas?.scrollIntoView({block: 'center'});
      };
      search?.addEventListener('input', () => find(false));
      search?.addEventListener('keydown', event => { if (event.key === 'Enter') find(true); });

      addEventListener('keydown', event => {
        const target = /** @type {Element} */ (event.target);
        if (event.key === 'Escape') { if (search) search.value = ''; find(false); near(null); return; }
        if (target.matches('input,select,textarea') || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === '/') { event.preventDefault(); search?.focus(); }
        else if (event.key === '[') follow('prev');
        else if (event.key === ']') follow('next');
      });

      /** The diagram as a file of its own; colours stand in it as attributes, so that it needs no style. */
      function save() {
        if (!svg) return;
        const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
        copy.setAttribute('viewBox', `0 0 ${size.w} ${size.h}`);
        copy.setAttribute('class', 'diagram');
        for (const name of copy.querySelectorAll('.name')) {
          name.removeAttribute('style');
          name.textContent = /** @type {SVGTextElement} */ (name).dataset.whole ?? name.textContent;
          name.setAttribute('x', '12');
          name.setAttribute('y', '19');
          name.setAttribute('text-anchor', 'start');
        }
        const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], {type: 'image/svg+xml'}));
        const link = document.createElement('a');
        link.href = url;
        link.download = document.title.replace(/[^\p{L}\p{N}]+/gu, '-') + '.svg';
        link.click();
        setTimeout(() => URL.revokeObjectURL(url), 10_000);
      }
    })();
    """#
}
