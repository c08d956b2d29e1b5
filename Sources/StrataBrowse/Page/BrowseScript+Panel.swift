/// The object that is open, and its values.
extension BrowseScript {
  static let panel = #"""
    const aside = h('aside', {'aria-label': 'Object', tabindex: -1, hidden: true});
    /** Objects that were open before.
     * @type {{model: string, id: string, side: string}[]} */
    let trail = [];

    /** @param {string} model @param {string} id @param {string} side @param {boolean} [isBack] */
    const openObject = async (model, id, side, isBack) => {
      if (shown && !isBack && (shown.id !== id || shown.model !== model)) trail.push(shown);
      if (trail.length > 50) trail.shift();
      const isOther = shown?.id !== id || shown.model !== model || shown.side !== side;
      shown = {model, id, side};
      await drawObject();
      if (isOther) aside.scrollTop = 0;
      for (const grid of grids) {
        // Beside an open object the table is smaller, and its row may have been the last one.
        const isOfRow = isOther && grid.side === side && grid.query.model === model && grid.at(grid.row)?.id === id;
        if (isOfRow) grid.reveal(); else grid.draw();
      }
    };

    const closeObject = () => {
      shown = null;
      drawing++;
      trail = [];
      aside.hidden = true;
      aside.replaceChildren();
      showUnsent();
      for (const grid of grids) grid.draw();
      grids[0]?.element.focus();
    };

    const isEditable = () => state.readOnly === null && shown?.side === 'old';

    let drawing = 0;
    /** Draws the object that is open, but for the part that has the keyboard and that the edit has not changed.
     * @param {string|null} [edited] the property that an edit has changed; null where it may be any */
    const drawObject = async edited => {
      if (!shown) return;
      if (edited !== undefined) altered.add(edited);
      const turn = ++drawing;
      const {model, id, side} = shown;
      /** @type {any} */
      let object;
      try {
        object = await ask({do: 'object', side, model, id});
      } catch (error) {
        if (turn !== drawing) return;
        aside.hidden = false;
        drawn = '';
        replaceQuietly(() => aside.replaceChildren(h('div', {class: 'bar'}, h('h2', {}, `${model} ${id}`), h('span', {class: 'grow'}), closeButton()),
          h('p', {class: 'error'}, /** @type {Error} */ (error).message)));
        return showUnsent();
      }
      if (turn !== drawing) return;
      // Elements among which is being typed are there with their field, so that no key is lost.
      const typedInto = object.fields.find((/** @type {any} */ field) => field.property.name === partOf(document.activeElement)?.getAttribute('data-name')
        && altered.has(field.property.name) && !['value', 'inverse'].includes(field.property.kind));
      const ahead = typedInto ? await elementsOf(object, typedInto.property).catch(() => null) : null;
      if (turn !== drawing) return;
      const back = h('button', {type: 'button', class: 'plain', 'aria-label': 'Back', disabled: trail.length === 0, onclick: () => {
        const last = trail.pop();
        if (last) openObject(last.model, last.id, last.side, true);
      }}, '←');
      const remove = isEditable() && h('button', {type: 'button', class: 'danger', onclick: () => change({do: 'delete', model, id}, closeObject)}, 'Delete');
      const place = JSON.stringify([model, id, side]);
      const kept = place === drawn ? keptPart() : null;
      const keptName = kept?.getAttribute('data-name') ?? null;
      /** The parts beside the one that is kept, which stands between those before it and those behind it.
       * @type {Element[][]} */
      const around = [[]];
      /** @param {boolean} isKept @param {string} says @param {() => Element} make */
      const add = (isKept, says, make) => {
        if (isKept && kept) {
          around.push([]);
          if (madeOf.get(kept) !== says) stale.add(kept);
          return;
        }
        const part = make();
        madeOf.set(part, says);
        around.at(-1)?.push(part);
      };
      add(kept?.classList.contains('bar') === true, '', () => h('div', {class: 'bar'}, back, h('h2', {}, `${model} ${id}`), h('span', {class: 'grow'}), remove, closeButton()));
      for (const field of object.fields) {
        // What a collection or data holds is not in its cell.
        const isWhole = ['value', 'inverse'].includes(field.property.kind) && field.property.scalar !== 'data';
        const says = JSON.stringify(field) + (isWhole ? '' : turn);
        add(keptName !== null && keptName === field.property.name, says, () => fieldElement(object, field, field === typedInto ? ahead : null));
      }
      if (object.links.length > 0) {
        add(kept?.classList.contains('links') === true, JSON.stringify(object.links), () => h('div', {class: 'field links'}, h('div', {class: 'label'}, h('span', {class: 'name'}, 'Linked from')),
          h('div', {class: 'row'}, ...object.links.map((/** @type {any} */ link) => h('button', {type: 'button', onclick: () =>
            go({model: link.model, filter: '', sort: [], linked: {property: link.property, model, id}})}, `${link.model}.${link.property} (${brief(link.count)})`)))));
      }
      const focused = kept ? null : partOf(document.activeElement)?.getAttribute('data-name') ?? null;
      refocus = focused === null ? null : keyboard(focused);
      if (refocus !== null && place !== drawn) {
        // What was typed is of the object that was open before.
        delete refocus.typed;
        if (isTextField(document.activeElement)) document.activeElement.blur();
      }
      if (place !== drawn) held = [];
      else holdUnsent([...aside.querySelectorAll('input,textarea')].filter(field => !kept?.contains(field)));
      aside.hidden = false;
      drawn = place;
      altered.clear();
      replaceQuietly(() => {
        if (!kept || around.length === 1) return aside.replaceChildren(...around.flat());
        for (const part of [...aside.children]) if (part !== kept) part.remove();
        kept.before(...around[0] ?? []);
        kept.after(...around[1] ?? []);
      });
      if (focused !== null) focusAgain(focused);
      giveBack();
    };

    /** Where the field says what is wrong.
     * @param {string} name @returns {HTMLElement|undefined} */
    const problemOf = name => {
      const field = [...aside.querySelectorAll('.field')].find(field => field.getAttribute('data-name') === name);
      return /** @type {HTMLElement|undefined} */ (field?.querySelector('.error[role=alert]') ?? undefined);
    };

    const closeButton = () => h('button', {type: 'button', class: 'plain', 'aria-label': 'Close the object', onclick: closeObject}, '✕');

    /** The edits that are being made: a button that is pressed twice makes one. Elements that are added may be equal.
     * @type {Set<string>} */
    const running = new Set();
    /** Whether what was typed and chosen is taken. Saving asks for nothing of that, and waits for the others.
     * @type {Set<Promise<boolean>>} */
    const making = new Set();

    /** Makes an edit and shows what became of it.
     * @param {Record<string, any>} question @param {(answer: any) => void} [then] @param {HTMLElement} [problem]
     * @returns {Promise<boolean>} whether it was made */
    const change = (question, then, problem) => {
      const made = makeChange(question, then, problem);
      if (question.do === 'save') return made;
      const isEdit = !['undo', 'revert', 'state'].includes(question.do);
      const answered = made.then(isMade => isMade || !isEdit);
      const forget = () => { making.delete(answered); };
      making.add(answered);
      answered.then(forget, forget);
      return made;
    };

    /** @param {Record<string, any>} question @param {(answer: any) => void} [then] @param {HTMLElement} [problem] */
    const makeChange = async (question, then, problem) => {
      const isTyped = isSendingTyped;
      const name = JSON.stringify(question);
      if (question.do !== 'undo' && question.change?.insert?.text === undefined && running.has(name)) return true;
      const edited = question.property ?? null;
      let isMade = false;
      running.add(name);
      document.body.setAttribute('aria-busy', 'true');
      try {
        const answer = await ask(question);
        isMade = true;
        if (problem) problem.textContent = '';
        take(answer.state ?? answer);
        if (question.do === 'undo' || question.do === 'revert') forgetRefused();
        then?.(answer);
        await Promise.all(grids.map(grid => grid.reload()));
        if (shown) await drawObject(edited);
      } catch (error) {
        const {code, message} = /** @type {Error & {code?: string}} */ (error);
        const text = code !== 'STR5007' ? message
          : message + (isTyped ? ' Press Enter in the field again, or leave it again, to send what is typed once more.' : ' Try again when it has.');
        // The value or the elements that were meant are others by now.
        if (code === 'changed') {
          await ask({do: 'state'}).then(take, () => {});
          await Promise.all(grids.map(grid => grid.reload()));
          if (shown) await drawObject(edited);
          const place = edited === null ? undefined : problemOf(edited);
          const typed = place?.parentElement?.querySelector('[type=file]') ? undefined : question.value?.text;
          if (place) place.textContent = typed ? `${text} Not stored: ${isolated(visible(typed))}` : text;
          alertUser(text);
        }
        else if (problem?.isConnected) problem.textContent = text; else alertUser(text);
      } finally {
        running.delete(name);
        document.body.removeAttribute('aria-busy');
      }
      return isMade;
    };

    /** @param {string} text */
    const alertUser = text => { failure.textContent = text; say(text); setTimeout(() => { if (failure.textContent === text) failure.textContent = ''; }, 8000); };

    /** @param {any} object @param {any} field @param {Elements|null} ahead the elements of a collection, where they are there already */
    const fieldElement = (object, field, ahead) => {
      const property = field.property;
      const problem = h('p', {class: 'error', role: 'alert'});
      const set = (/** @type {any} */ value, /** @type {(() => void)|undefined} */ then, /** @type {HTMLElement|undefined} */ place) =>
        change({do: 'set', model: object.model, id: object.id, property: property.name, value, was: field.mark ?? undefined}, then, place ?? problem);
      return h('div', {class: 'field', 'data-name': property.name},
        h('div', {class: 'label', title: property.doc}, h('span', {class: 'name', dir: 'auto'}, property.name), h('span', {class: 'type'}, property.type)),
        control(object, property, field.cell, set, ahead), problem);
    };

    /** Gives a property another value; a place for what is wrong may be named.
     * @typedef {(value: any, then?: () => void, problem?: HTMLElement) => Promise<boolean>} SetValue */

    /** @param {any} object @param {any} property @param {any} cell @param {SetValue} set @param {Elements|null} ahead */
    const control = (object, property, cell, set, ahead) => {
      if (property.kind === 'inverse') {
        return h('div', {class: 'row'}, h('button', {type: 'button', onclick: () =>
          go({model: property.model, filter: '', sort: [], linked: {property: property.property, model: object.model, id: object.id}})}, `${brief(cell)} ${property.model}`));
      }
      if (property.kind !== 'value') return collection(object, property, cell, ahead);
      if (property.model !== undefined) return link(property, cell, set);
      if (cell !== null && cell.bytes !== undefined || property.scalar === 'data') return bytes(object, property, cell, set);
      if (cell !== null && cell.link !== undefined) {
        const clear = isEditable() && property.optional && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil');
        return h('div', {class: 'row'}, h('button', {type: 'button', class: 'wide', dir: 'ltr', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell)), clear);
      }
      return scalar(object, property, cell, set);
    };

    /** A field of a value.
     * @param {any} object @param {any} property @param {any} cell @param {SetValue} set */
    const scalar = (object, property, cell, set) => {
      const label = property.name;
      const isEnabled = isEditable();
      if (isChosen(property)) return choice(property, cell, label, set);
      if (cell?.length) {
        const box = h('div', {}, h('textarea', {'aria-label': label, readonly: true, dir: 'auto'}));
        /** @type {any} */ (box.firstChild).value = visible(cell.v) + '…';
        box.append(h('div', {class: 'row'}, h('button', {type: 'button', onclick: async () => {
          const whole = await ask({do: 'value', side: shown?.side, model: object.model, id: object.id, property: property.name});
          box.replaceChildren(whole.whole ? typed(property, {v: whole.v}, set, isEnabled) : h('textarea', {'aria-label': label, readonly: true, dir: 'auto'}, visible(whole.v)));
        }}, `All ${grouped(cell.length)} characters`)));
        return box;
      }
      return typed(property, cell, set, isEnabled);
    };

    /** Whether a value is one of few.
     * @param {any} property */
    const isChosen = property => property.cases !== undefined || property.scalar === 'bool';

    /** @param {any} property @param {any} cell @param {string} label @param {(value: any) => Promise<boolean>|void} set @returns {HTMLSelectElement} */
    const choice = (property, cell, label, set) => {
      const cases = property.cases ?? [{name: 'true', value: 'true'}, {name: 'false', value: 'false'}];
      const options = cases.map((/** @type {any} */ item) => h('option', {value: item.value, selected: cell !== null && item.value === cell.v}, item.name));
      // A stored value that is no case is shown as what it is.
      if (cell !== null && !cases.some((/** @type {any} */ item) => item.value === cell.v)) options.unshift(h('option', {value: cell.v, selected: true}, visible(cell.v)));
      if (property.optional) options.unshift(h('option', {value: '', selected: cell === null}, 'nil'));
      const select = /** @type {HTMLSelectElement} */ (h('select', {'aria-label': label, disabled: !isEditable(), onchange: async () => {
        const chosen = select.selectedIndex;
        const isMade = await set(chosen === 0 && property.optional ? null : {text: select.value});
        // The same can be chosen again: of a choice that stays, a browser tells nothing.
        if (isMade === false && select.selectedIndex === chosen) select.selectedIndex = stored;
      }}, ...options));
      const stored = select.selectedIndex;
      return select;
    };

    /** @param {any} property @param {any} cell @param {SetValue} set @param {boolean} isEnabled */
    const typed = (property, cell, set, isEnabled) => {
      const before = cell === null ? '' : cell.v;
      const isText = property.scalar === 'string' || hasBreaks(before);
      const held = () => given(before, input.value);
      const input = /** @type {HTMLInputElement} */ (h(isText ? 'textarea' : 'input', {type: isText ? null : 'text', 'aria-label': property.name, dir: 'auto',
        readonly: !isEnabled, rows: isText ? 1 : null, spellcheck: 'false', placeholder: cell === null ? 'nil' : '',
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter' && !isText) input.blur(); }}));
      input.value = visible(before);
      sendTyped(input, () => held() !== before || cell === null ? set(spelled(held(), cell)) : undefined);
      const clear = isEnabled && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil');
      return h('div', {class: 'row'}, h('span', {class: 'wide'}, input), clear, nulNote(before));
    };

    /** Where the command gives the bytes of a value.
     * @param {any} object @param {any} property */
    const dataAddress = (object, property) =>
      `${base}/data/${encodeURIComponent(object.model)}/${object.id}/${encodeURIComponent(property.name)}?side=${shown?.side}&change=${state.change}`;

    /** A field of data.
     * @param {any} object @param {any} property @param {any} cell @param {(value: any) => void} set */
    const bytes = (object, property, cell, set) => {
      const address = dataAddress(object, property);
      const file = isEditable() && property.scalar === 'data' && fileInput(`New content of ${property.name}`, set);
      return h('div', {}, cell?.image && h('img', {src: address, alt: `${property.name} of ${object.model} ${object.id}`}),
        h('div', {class: 'row'}, h('span', {}, brief(cell)), cell !== null && property.scalar === 'data' && h('a', {href: address, download: property.name}, 'Save'),
          isEditable() && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil')), file);
    };

    /** A field of a link, or of an embedded object.
     * @param {any} property @param {any} cell @param {(value: any, then?: () => void, problem?: HTMLElement) => void} set */
    const link = (property, cell, set) => {
      const box = h('div', {});
      const open = cell === null ? h('span', {class: 'soft'}, 'nil')
        : h('button', {type: 'button', class: 'wide', dir: 'ltr', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell));
      const choose = isEditable() && (property.embedded
        ? h('button', {type: 'button', onclick: () => makeObject(property.model, (values, then, problem) => set({object: values}, then, problem))}, 'New')
        : h('button', {type: 'button', 'aria-label': `Choose ${property.name}`, onclick: () => { if (box.children.length === 1) box.append(picker(property.model, id => set({link: id}))); }}, 'Choose…'));
      const clear = isEditable() && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil');
      box.append(h('div', {class: 'row'}, open, choose, clear));
      return box;
    };

    /** A choice of an object.
     * @param {string} model @param {(id: string) => void} choose */
    const picker = (model, choose) => {
      const list = h('ul', {});
      let turn = 0;
      const find = async (/** @type {string} */ text) => {
        const now = ++turn;
        try {
          const {columns} = await ask({do: 'model', model});
          const label = columns.find((/** @type {any} */ column) => column.scalar === 'string' && column.kind === 'value');
          const quoted = "'" + text.replace(/[\\']/g, '\\$&') + "'";
          const filter = text === '' ? '' : label ? `#${label.name} CONTAINS[c] ${quoted}` : '';
          const page = await ask({do: 'rows', model, filter, sort: [], from: 0, count: 30});
          if (now !== turn) return;
          list.replaceChildren(...page.rows.map((/** @type {any} */ row) => h('li', {}, h('button', {type: 'button', class: 'plain', dir: 'ltr', onclick: () => choose(row.id)},
            `${row.id}  ${isolated(brief(row.cells[0]))}`))));
          if (page.rows.length === 0) list.append(h('li', {class: 'soft'}, 'none'));
        } catch (error) { list.replaceChildren(h('li', {class: 'error'}, /** @type {Error} */ (error).message)); }
      };
      find('');
      return h('div', {class: 'picker'}, h('input', {type: 'text', 'aria-label': `Search ${model}`, placeholder: `Search ${model}`, oninput: (/** @type {any} */ event) => find(event.target.value),
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') event.preventDefault(); }}), list);
    };

    """#
}
