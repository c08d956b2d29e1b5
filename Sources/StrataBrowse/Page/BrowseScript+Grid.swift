/// The table of objects.
extension BrowseScript {
  static let grid = #"""
    /** Whether values stand at the end of their column.
     * @param {any} column */
    const isNumber = column => column.kind === 'value' && ['int', 'int8', 'int16', 'int32', 'int64', 'float', 'double', 'decimal'].includes(column.scalar) && column.cases === undefined;

    /** A table of any number of objects, of which only those in view are there. */
    class Grid {
      /** Taller elements are cut by browsers; beyond, the scroll bar stands for more than its pixels. */
      static maximumHeight = 8_000_000;
      static chunk = 100;
      static maximumChunks = 40;

      /** @param {string} side */
      constructor(side) {
        this.side = side;
        /** @type {Query} */
        this.query = {model: '', filter: '', sort: []};
        this.total = 0;
        /** @type {any[]} */
        this.columns = [];
        /** @type {Map<number, any[]>} */
        this.chunks = new Map();
        /** @type {Set<number>} */
        this.asked = new Set();
        this.turn = 0;
        this.offset = 0;
        this.row = 0;
        this.column = 0;
        this.head = h('div', {class: 'head', role: 'row', 'aria-rowindex': 1});
        this.space = h('div', {class: 'space', role: 'rowgroup'});
        this.element = h('div', {class: 'grid', role: 'grid', tabindex: 0, 'aria-label': 'Objects', 'aria-readonly': 'true',
          onscroll: () => this.scrolled(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
          onwheel: (/** @type {WheelEvent} */ event) => this.wheeled(event)},
          h('div', {class: 'top', role: 'rowgroup'}, this.head), this.space);
        this.empty = h('p', {class: 'empty', hidden: true});
        this.space.addEventListener('click', event => this.clicked(/** @type {MouseEvent} */ (event)));
        new ResizeObserver(() => this.draw()).observe(this.element);
      }

      get scale() {
        const real = this.total * ROW;
        const shown = Math.min(real, Grid.maximumHeight);
        const view = Math.max(1, this.element.clientHeight - ROW);
        return shown > view ? Math.max(1, (real - view) / (shown - view)) : 1;
      }

      /** @param {Query} query @param {any} [page] */
      async show(query, page) {
        this.query = query;
        this.turn += 1;
        this.chunks.clear();
        this.asked.clear();
        if (page) return this.take(page, true);
        await this.load(0, true);
      }

      /** Reads again what is in view. */
      async reload() {
        this.turn += 1;
        this.asked.clear();
        const first = Math.floor(this.offset / ROW / Grid.chunk);
        const kept = this.chunks.get(first);
        this.chunks.clear();
        if (kept) this.chunks.set(first, kept);
        await this.load(first, false);
      }

      /** @param {number} chunk @param {boolean} isNew */
      async load(chunk, isNew) {
        const turn = this.turn;
        this.asked.add(chunk);
        try {
          const page = await ask({do: 'rows', side: this.side, ...this.query, from: chunk * Grid.chunk, count: Grid.chunk});
          if (turn !== this.turn) return;
          this.take(page, isNew);
        } catch (error) {
          if (turn !== this.turn) return;
          this.total = 0;
          this.chunks.clear();
          this.counted?.(undefined);
          this.problem?.(/** @type {Error} */ (error));
          this.draw();
        } finally {
          if (turn === this.turn) this.asked.delete(chunk);
        }
      }

      /** @type {((error: Error|null) => void)|undefined} */
      problem;
      /** Told the number of objects; null as long as they are being counted, undefined where they cannot be.
       * @type {((total: number|null|undefined) => void)|undefined} */
      counted;

      /** @param {any} page @param {boolean} isNew */
      take(page, isNew) {
        const isOther = JSON.stringify(page.columns) !== JSON.stringify(this.columns);
        // Rows come before they are counted.
        const known = page.from + page.rows.length;
        this.total = page.total ?? (isNew ? known : Math.max(this.total, known));
        if (page.total === null && this.countedTurn !== this.turn) this.count();
        this.columns = page.columns;
        for (let at = 0; at < page.rows.length || at === 0; at += Grid.chunk) {
          this.chunks.set(Math.floor(page.from / Grid.chunk) + at / Grid.chunk, page.rows.slice(at, at + Grid.chunk));
        }
        while (this.chunks.size > Grid.maximumChunks) this.chunks.delete(this.chunks.keys().next().value ?? 0);
        if (isNew) { this.offset = 0; this.row = 0; this.column = 0; this.element.scrollTop = 0; }
        if (isOther || isNew) this.drawHead();
        this.problem?.(null);
        this.counted?.(page.total);
        this.draw();
      }

      /** Asks how many objects there are in all, which may take longer than to show some. */
      async count() {
        const turn = this.turn;
        this.countedTurn = turn;
        try {
          const {total} = await ask({do: 'count', side: this.side, ...this.query});
          if (turn !== this.turn) return;
          this.total = total;
          this.counted?.(total);
          this.draw();
        } catch (error) {
          if (turn !== this.turn) return;
          this.counted?.(undefined);
          this.problem?.(/** @type {Error} */ (error));
        }
      }
      /** The turn whose objects were counted, or are. */
      countedTurn = -1;

      /** @param {number} index */
      at(index) {
        return this.chunks.get(Math.floor(index / Grid.chunk))?.[index % Grid.chunk];
      }

      drawHead() {
        const sort = this.query.sort[0];
        const cells = this.columns.map((column, index) => {
          const direction = sort?.path === column.name ? (sort.ascending ? 'ascending' : 'descending') : 'none';
          const label = [column.name, h('span', {class: 'type'}, column.type)];
          const kind = isNumber(column) ? 'th number' : 'th';
          if (!column.sortable) return h('div', {class: 'th still', role: 'columnheader', 'aria-colindex': index + 2, title: column.doc}, ...label);
          return h('div', {class: kind, role: 'columnheader', 'aria-colindex': index + 2, 'aria-sort': direction, title: column.doc},
            h('button', {type: 'button', tabindex: -1, onclick: () => sortBy(this, column.name)}, ...label,
              direction === 'none' ? null : h('span', {'aria-hidden': 'true'}, direction === 'ascending' ? ' ▲' : ' ▼')));
        });
        this.head.replaceChildren(h('div', {class: 'th still id', role: 'columnheader', 'aria-colindex': 1}, 'id'), ...cells);
        this.element.setAttribute('aria-colcount', String(this.columns.length + 1));
      }

      scrolled() {
        const offset = this.element.scrollTop * this.scale;
        // A pixel of the scroll bar may stand for many rows: what the wheel said is finer.
        if (Math.abs(offset - this.offset) > this.scale + 1) this.offset = offset;
        this.draw();
      }

      /** @param {WheelEvent} event */
      wheeled(event) {
        if (this.scale === 1 || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
        event.preventDefault();
        this.move(this.offset + event.deltaY * (event.deltaMode === 1 ? ROW : 1));
      }

      /** @param {number} offset */
      move(offset) {
        const view = this.element.clientHeight - ROW;
        this.offset = Math.max(0, Math.min(offset, this.total * ROW - view));
        this.element.scrollTop = this.offset / this.scale;
        this.draw();
      }

      draw() {
        const view = this.element.clientHeight - ROW;
        const height = Math.min(this.total * ROW, Grid.maximumHeight);
        this.space.style.height = height + 'px';
        this.element.setAttribute('aria-rowcount', String(this.total + 1));
        const first = Math.max(0, Math.floor(this.offset / ROW) - 6);
        const last = Math.min(this.total, Math.ceil((this.offset + view) / ROW) + 6);
        const shift = this.element.scrollTop - this.offset;
        const rows = [];
        for (let index = first; index < last; index += 1) {
          rows.push(this.drawRow(index, index * ROW + shift));
          const chunk = Math.floor(index / Grid.chunk);
          if (!this.chunks.has(chunk) && !this.asked.has(chunk)) this.want(chunk);
        }
        this.space.replaceChildren(...rows);
        const isAt = this.row >= first && this.row < last;
        if (isAt) this.element.setAttribute('aria-activedescendant', this.cellID(this.row, this.column));
        else this.element.removeAttribute('aria-activedescendant');
      }

      /** Waits a moment: where the scroll bar is drawn past, nothing has to be read.
       * @param {number} chunk */
      want(chunk) {
        this.asked.add(chunk);
        const turn = this.turn;
        setTimeout(() => {
          if (turn !== this.turn) return;
          this.asked.delete(chunk);
          const top = chunk * Grid.chunk * ROW;
          const isInView = top < this.offset + this.element.clientHeight + 8 * ROW && top + Grid.chunk * ROW > this.offset - 8 * ROW;
          if (isInView && !this.chunks.has(chunk)) this.load(chunk, false);
        }, 40);
      }

      /** Brings the row of the cursor into view. */
      reveal() {
        const view = this.element.clientHeight - ROW;
        const top = this.row * ROW;
        if (top < this.offset) this.move(top);
        else if (top + ROW > this.offset + view) this.move(top + ROW - view);
        else this.draw();
      }

      /** @param {number} row @param {number} column */
      cellID(row, column) { return `${this.side}-${row}-${column}`; }

      /** @param {number} index @param {number} top */
      drawRow(index, top) {
        const object = this.at(index);
        const isShown = shown !== null && object !== undefined && shown.id === object.id && shown.model === this.query.model && shown.side === this.side;
        const row = h('div', {class: 'tr', role: 'row', 'aria-rowindex': index + 2, 'aria-selected': String(isShown), 'data-index': index});
        row.style.top = top + 'px';
        const at = (/** @type {number} */ column) => index === this.row && column === this.column && document.activeElement === this.element ? ' at' : '';
        row.append(h('div', {class: 'td id' + at(0), role: 'gridcell', id: this.cellID(index, 0), 'aria-colindex': 1}, object?.id ?? '…'));
        this.columns.forEach((column, place) => {
          const cell = object?.cells[place];
          const isRight = isNumber(column);
          const text = object === undefined ? '' : brief(cell);
          row.append(h('div', {class: 'td' + (object !== undefined && cell === null ? ' null' : '') + (isRight ? ' number' : '') + at(place + 1),
            role: 'gridcell', id: this.cellID(index, place + 1), 'aria-colindex': place + 2, dir: isRight || cell?.link !== undefined ? 'ltr' : 'auto', title: text.length > 24 ? text : null},
            cell?.link !== undefined ? h('span', {class: 'link'}, text) : text));
        });
        return row;
      }

      /** @param {MouseEvent} event */
      clicked(event) {
        const target = /** @type {Element} */ (event.target);
        const row = target.closest('.tr');
        if (!row) return;
        this.row = Number(row.getAttribute('data-index'));
        const cell = target.closest('.td');
        this.column = Math.max(0, [...row.children].indexOf(/** @type {Element} */ (cell)));
        this.element.focus();
        this.open(target.closest('.link') !== null && event.detail > 1);
      }

      /** Opens the object of the row; of a link, what it leads to.
       * @param {boolean} follows */
      async open(follows) {
        const object = this.at(this.row);
        if (!object) return;
        const cell = this.column > 0 ? object.cells[this.column - 1] : null;
        if (follows && cell?.link !== undefined) await openObject(cell.link, cell.id, this.side);
        else await openObject(this.query.model, object.id, this.side);
      }

      /** @param {KeyboardEvent} event */
      pressed(event) {
        const page = Math.max(1, Math.floor((this.element.clientHeight - ROW) / ROW) - 1);
        const isWhole = event.ctrlKey || event.metaKey;
        switch (event.key) {
          case 'ArrowDown': this.row += 1; break;
          case 'ArrowUp': this.row -= 1; break;
          case 'PageDown': this.row += page; break;
          case 'PageUp': this.row -= page; break;
          case 'ArrowRight': this.column += 1; break;
          case 'ArrowLeft': this.column -= 1; break;
          case 'Home': this.column = 0; if (isWhole) this.row = 0; break;
          case 'End': this.column = this.columns.length; if (isWhole) this.row = this.total - 1; break;
          case 'Enter': this.open(isWhole).then(() => aside.focus()); event.preventDefault(); return;
          case 's': case 'S': {
            const column = this.columns[this.column - 1];
            if (isWhole || !column?.sortable) return;
            sortBy(this, column.name);
            event.preventDefault();
            return;
          }
          default: return;
        }
        event.preventDefault();
        this.row = Math.max(0, Math.min(this.row, this.total - 1));
        this.column = Math.max(0, Math.min(this.column, this.columns.length));
        this.reveal();
        const cell = document.getElementById(this.cellID(this.row, this.column));
        if (cell) {
          const left = cell.offsetLeft;
          if (left < this.element.scrollLeft) this.element.scrollLeft = left;
          else if (left + cell.offsetWidth > this.element.scrollLeft + this.element.clientWidth) this.element.scrollLeft = left + cell.offsetWidth - this.element.clientWidth;
        }
      }
    }

    /** @param {Grid} grid @param {string} path */
    const sortBy = (grid, path) => {
      const now = grid.query.sort[0];
      const sort = now?.path === path ? (now.ascending ? [{path, ascending: false}] : []) : [{path, ascending: true}];
      if (grid.side === 'old') go({...query, sort});
      else grid.show({...grid.query, sort});
      say(sort[0] ? `sorted by ${path}, ${sort[0].ascending ? 'ascending' : 'descending'}` : 'not sorted');
    };

    """#
}
