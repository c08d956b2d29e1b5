/// The field for a condition.
extension BrowseScript {
  static let filter = #"""
    /** The field for a condition, with completion, and what is wrong shown where it is. */
    class FilterField {
      /** @param {() => string} model @param {(text: string) => void} apply */
      constructor(model, apply) {
        this.model = model;
        this.apply = apply;
        this.turn = 0;
        this.selected = -1;
        /** @type {any[]} */
        this.proposals = [];
        this.replaced = 0;
        this.input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list',
          'aria-controls': 'proposals', 'aria-label': 'Condition', 'aria-describedby': 'problem', placeholder: "Filter: age > 30 AND name BEGINSWITH 'A'",
          autocomplete: 'off', spellcheck: 'false', dir: 'auto', oninput: () => this.changed(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
          onblur: () => setTimeout(() => this.close(), 150), onclick: () => this.complete()}));
        this.list = h('ul', {role: 'listbox', id: 'proposals', 'aria-label': 'Proposals', hidden: true});
        this.problem = h('p', {class: 'problem', id: 'problem', role: 'alert'});
        this.element = h('div', {class: 'filter'}, this.input, this.list);
      }

      /** @param {string} text */
      set(text) { if (document.activeElement !== this.input) this.input.value = text; this.tell(null); }

      /** @param {any} problem */
      tell(problem) {
        this.input.setAttribute('aria-invalid', String(problem !== null));
        if (problem === null) return this.problem.replaceChildren();
        const text = this.input.value;
        const parts = problem.from === undefined ? [] : [text.slice(0, problem.from), h('code', {}, text.slice(problem.from, problem.to) || ' '), text.slice(problem.to), h('br')];
        this.problem.replaceChildren(...parts, problem.message + (problem.help ? '; ' + problem.help : '') + (problem.code ? ' [' + problem.code + ']' : ''));
      }

      changed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.check(), 160);
        this.complete();
      }
      /** @type {any} */
      timer;

      async check() {
        const typed = this.input.value;
        const text = typed.trim();
        const turn = ++this.turn;
        const {problem} = await ask({do: 'check', model: this.model(), filter: text});
        if (turn !== this.turn) return;
        const before = typed.length - typed.trimStart().length;
        this.tell(problem?.from === undefined ? problem : {...problem, from: problem.from + before, to: problem.to + before});
        if (problem === null) this.apply(text);
      }

      async complete() {
        const at = this.input.selectionStart ?? 0;
        const text = this.input.value.slice(0, at);
        const answer = await ask({do: 'complete', model: this.model(), text});
        if (this.input.value.slice(0, this.input.selectionStart ?? 0) !== text || document.activeElement !== this.input) return;
        this.proposals = answer.proposals;
        this.replaced = answer.replaced;
        this.selected = -1;
        this.draw();
      }

      draw() {
        const isOpen = this.proposals.length > 0;
        this.list.hidden = !isOpen;
        this.input.setAttribute('aria-expanded', String(isOpen));
        this.list.replaceChildren(...this.proposals.map((proposal, index) => h('li', {role: 'option', id: 'proposal-' + index,
          'aria-selected': String(index === this.selected), onmousedown: (/** @type {Event} */ event) => { event.preventDefault(); this.accept(index); }},
          h('span', {}, proposal.text), h('span', {}, proposal.detail))));
        if (this.selected >= 0) {
          this.input.setAttribute('aria-activedescendant', 'proposal-' + this.selected);
          this.list.children[this.selected]?.scrollIntoView({block: 'nearest'});
        } else this.input.removeAttribute('aria-activedescendant');
      }

      close() { this.proposals = []; this.draw(); }

      /** @param {number} index */
      accept(index) {
        const proposal = this.proposals[index];
        if (!proposal) return;
        const at = this.input.selectionStart ?? 0;
        const text = this.input.value;
        const before = text.slice(0, at - this.replaced) + proposal.text + ' ';
        this.input.value = before + text.slice(at).trimStart();
        this.input.setSelectionRange(before.length, before.length);
        this.changed();
      }

      /** @param {KeyboardEvent} event */
      pressed(event) {
        const isOpen = this.proposals.length > 0;
        if (event.key === 'ArrowDown' && !isOpen) this.complete();
        else if (event.key === 'ArrowDown') this.selected = (this.selected + 1) % this.proposals.length;
        else if (event.key === 'ArrowUp' && isOpen) this.selected = (this.selected + this.proposals.length - (this.selected < 0 ? 0 : 1)) % this.proposals.length;
        else if ((event.key === 'Enter' || event.key === 'Tab') && isOpen && this.selected >= 0) { event.preventDefault(); this.accept(this.selected); return; }
        else if (event.key === 'Enter') { clearTimeout(this.timer); this.check(); this.close(); return; }
        else if (event.key === 'Escape') { this.close(); return; }
        else return;
        event.preventDefault();
        this.draw();
      }
    }

    """#
}
