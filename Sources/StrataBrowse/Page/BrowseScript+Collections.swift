/// The elements of lists, sets and maps.
extension BrowseScript {
  static let collections = #"""
    /** How many elements of a collection were asked for, by object and property.
     * @type {Map<string, number>} */
    const wantedElements = new Map();

    /** The first elements of a collection, and how many it has.
     * @typedef {{elements: any[], total: number}} Elements */

    /** @param {any} object @param {any} property */
    const placeOf = (object, property) => `${object.model} ${object.id} ${property.name}`;

    /** Reads as many elements as were asked for.
     * @param {any} object @param {any} property @returns {Promise<Elements>} */
    const elementsOf = async (object, property) => {
      const count = wantedElements.get(placeOf(object, property)) ?? 50;
      /** @type {any[]} */
      const elements = [];
      let total = 0;
      while (elements.length < count) {
        const answer = await ask({do: 'elements', side: shown?.side, model: object.model, id: object.id, property: property.name, from: elements.length, count: Math.min(500, count - elements.length)});
        elements.push(...answer.elements);
        total = answer.total;
        if (answer.elements.length === 0 || elements.length >= total) break;
      }
      return {elements, total};
    };

    /** A field of a list, set or map.
     * @param {any} object @param {any} property @param {any} cell @param {Elements|null} ahead */
    const collection = (object, property, cell, ahead) => {
      const box = h('div', {}, h('span', {class: 'soft'}, `${brief(cell)} elements`));
      if (cell === null || cell.n === 0 && !isEditable()) return box;
      /** @type {Send} */
      const send = (altered, then, problem) => alter(object, property, altered, then, problem);
      /** @param {Elements} read */
      const draw = ({elements, total}) => {
        const rows = elements.map((_, index) => elementRow(object, property, elements, index, total, send));
        const more = elements.length < total && h('button', {type: 'button', onclick: () => {
          const place = placeOf(object, property);
          wantedElements.set(place, (wantedElements.get(place) ?? 50) * 10);
          if (wantedElements.size > 200) wantedElements.delete(wantedElements.keys().next().value ?? '');
          show();
        }}, `${grouped(total - elements.length)} more`);
        // What is being typed into an element that is there already goes on.
        if (isTextField(document.activeElement) && box.contains(document.activeElement)) refocus = keyboard(property.name);
        holdUnsent(box.querySelectorAll('input,textarea'));
        replaceQuietly(() => box.replaceChildren(...rows, more || '', isEditable() ? adding(property, send) : '', rows.length === 0 && !isEditable() ? h('span', {class: 'soft'}, 'none') : ''));
        if (!box.isConnected) return;
        focusAgain(property.name);
        giveBack(property.name);
      };
      const show = async () => {
        try { draw(await elementsOf(object, property)); } catch (error) { box.append(h('p', {class: 'error'}, /** @type {Error} */ (error).message)); }
      };
      if (ahead) draw(ahead); else show();
      return box;
    };

    /** Changes one element; a place for what is wrong may be named.
     * @typedef {(altered: any, then?: () => void, problem?: HTMLElement) => Promise<boolean>} Send */

    /** @param {any} object @param {any} property @param {any} altered @param {() => void} [then] @param {HTMLElement} [problem] */
    const alter = (object, property, altered, then, problem) =>
      change({do: 'element', model: object.model, id: object.id, property: property.name, change: altered}, then, problem ?? problemOf(property.name));

    /** @param {any} object @param {any} property @param {any[]} elements @param {number} index @param {number} total @param {Send} send */
    const elementRow = (object, property, elements, index, total, send) => {
      const element = elements[index];
      const isMap = property.kind === 'map';
      const key = isMap ? visible(element.key) : '';
      const name = isMap ? `the value of ${key}` : `element ${index + 1}`;
      const was = element.mark ?? undefined;
      const replace = (/** @type {any} */ value) => send(isMap ? {put: value, key: element.key, was} : {replace: value, at: index, was});
      const cell = element.cell;
      const row = h('div', {class: 'row element'});
      if (isMap) {
        const rename = (/** @type {string} */ to) => to !== element.key ? send({renameKey: element.key, to}) : undefined;
        const isLong = hasBreaks(element.key);
        const field = isEditable() ? h(isLong ? 'textarea' : 'input', {type: isLong ? null : 'text', rows: isLong ? 1 : null, class: 'key', dir: 'auto', 'aria-label': `Key ${key} of ${property.name}`})
          : h('span', {class: 'name', dir: 'auto'}, key);
        if (isTextField(field)) {
          field.value = key;
          sendTyped(field, () => rename(given(element.key, field.value)));
        }
        row.append(field);
      }
      if (cell?.link !== undefined) {
        row.append(h('button', {type: 'button', class: 'wide', dir: 'ltr', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell)));
        if (isEditable() && property.model !== undefined && !property.embedded) {
          row.append(h('button', {type: 'button', 'aria-label': `Choose ${name} of ${property.name}`, onclick: () => {
            if (row.nextElementSibling?.classList.contains('picker')) row.nextElementSibling.remove(); else row.after(picker(property.model, id => replace({link: id})));
          }}, '…'));
        }
        if (isEditable() && property.scalar === 'any' && property.optional) row.append(h('button', {type: 'button', 'aria-label': `Set ${name} of ${property.name} to nil`, onclick: () => replace(null)}, 'nil'));
      } else if (cell?.length || isEditable() && cell?.bytes === undefined && property.scalar !== 'data') {
        row.append(elementInput(object, property, element, index, name, replace), nulNote(cell?.v) || nulNote(element.key) || '');
        if (isEditable() && property.optional && cell !== null) row.append(h('button', {type: 'button', 'aria-label': `Set ${name} of ${property.name} to nil`, onclick: () => replace(null)}, 'nil'));
      } else {
        const address = dataAddress(object, property) + `&at=${index}`;
        const ofElement = `${name} of ${property.name}`;
        const image = property.scalar === 'data' && cell?.image && h('img', {src: address, alt: ofElement});
        row.append(h('span', {class: 'wide', dir: 'auto'}, image || '', brief(cell)));
        if (property.scalar === 'data' && cell !== null) row.append(h('a', {href: address, download: property.name, 'aria-label': `Save ${ofElement}`}, 'Save'));
        if (isEditable() && property.scalar === 'data') row.append(fileInput(`New content of ${ofElement}`, replace));
        if (isEditable() && property.optional && cell !== null) row.append(h('button', {type: 'button', 'aria-label': `Set ${ofElement} to nil`, onclick: () => replace(null)}, 'nil'));
      }
      if (isEditable() && property.kind === 'list' && total > 1) {
        row.append(h('button', {type: 'button', 'aria-label': `Move ${name} up`, disabled: index === 0, onclick: () => send({move: index, to: index - 1, was, wasTo: elements[index - 1]?.mark})}, '↑'),
          h('button', {type: 'button', 'aria-label': `Move ${name} down`, disabled: index === total - 1, onclick: () => send({move: index, to: index + 1, was, wasTo: elements[index + 1]?.mark})}, '↓'));
      }
      if (isEditable()) row.append(h('button', {type: 'button', 'aria-label': `Remove ${isMap ? key : name}`, onclick: () => send(isMap ? {removeKey: element.key, was} : {remove: index, was})}, '✕'));
      return row;
    };

    /** @param {any} object @param {any} property @param {any} element @param {number} index @param {string} name @param {SetValue} replace @returns {HTMLElement} */
    const elementInput = (object, property, element, index, name, replace) => {
      const cell = element.cell;
      const label = `${name[0]?.toUpperCase()}${name.slice(1)} of ${property.name}`;
      if (isChosen(property)) return choice(property, cell, label, replace);
      if (cell?.length) {
        const button = h('button', {type: 'button', class: 'wide', dir: 'auto', onclick: async () => {
          const answer = await ask({do: 'elements', side: shown?.side, model: object.model, id: object.id, property: property.name, from: index, count: 1, whole: true});
          const found = answer.elements[0];
          // Another program may have put another element there.
          if (found?.key !== element.key || found?.mark !== element.mark) return change({do: 'state'});
          if (found.cell?.whole === false) return alertUser('Values of more than 8 million characters are shown only.');
          const field = longText(found.cell, label, replace);
          button.replaceWith(field);
          field.focus();
        }}, brief(cell));
        return button;
      }
      if (hasBreaks(cell?.v)) return longText(cell, label, replace);
      const before = cell === null ? '' : cell.v;
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': label,
        placeholder: cell === null ? 'nil' : ''}));
      input.value = visible(before);
      sendTyped(input, () => replace(spelled(given(before, input.value), cell)));
      return input;
    };

    /** What is typed in the place of a value: in a property that takes any type, it keeps the one that the value has.
     * @param {string} text @param {any} cell */
    const spelled = (text, cell) => cell?.is === undefined ? {text} : {text, is: cell.is};

    /** @param {any} cell @param {string} label @param {SetValue} set */
    const longText = (cell, label, set) => {
      const text = cell?.v ?? '';
      const area = /** @type {HTMLTextAreaElement} */ (h('textarea', {class: 'wide', dir: 'auto', 'aria-label': label, readonly: !isEditable()}));
      area.value = visible(text);
      sendTyped(area, () => set(spelled(given(text, area.value), cell)));
      return area;
    };

    /** Whether a text has line breaks, which a field of one line would take out.
     * @param {unknown} text */
    const hasBreaks = text => typeof text === 'string' && /[\r\n]/.test(text);

    /** What a field holds, as it is to be stored: with the line breaks of the stored text, each of which a browser makes a line feed, and with
     * U+0000 for its sign. Breaks before and behind what was typed are as they were, new ones of the kind that the text has most.
     * @param {string} stored @param {string} shown */
    const given = (stored, shown) => {
      const breaks = stored.match(/\r\n|\r|\n/g) ?? [];
      const before = visible(stored).replace(/\r\n?/g, '\n');
      const shorter = Math.min(before.length, shown.length);
      let start = 0;
      while (start < shorter && before[start] === shown[start]) start++;
      let end = 0;
      while (end < shorter - start && before[before.length - 1 - end] === shown[shown.length - 1 - end]) end++;
      const often = (/** @type {string} */ kind) => breaks.filter(one => one === kind).length;
      const usual = ['\r\n', '\r'].reduce((most, kind) => often(kind) > often(most) ? kind : most, '\n');
      const added = (shown.match(/\n/g) ?? []).length - breaks.length;
      let index = 0;
      let last = '';
      const text = shown.replace(/\n/g, (_, /** @type {number} */ place) => {
        const here = index++;
        const kind = (place < start ? breaks[here] : place >= shown.length - end ? breaks[here - added] : usual) ?? usual;
        // Two lines that come together stay two.
        last = last === '\r' && kind === '\n' && shown[place - 1] === '\n' ? '\r\n' : kind;
        return last;
      });
      return stored.includes('\0') ? text.replaceAll(nulSign(stored), '\0') : text;
    };

    /** @param {any} property @param {Send} send */
    const adding = (property, send) => {
      const isMap = property.kind === 'map';
      const key = isMap && /** @type {HTMLTextAreaElement} */ (h('textarea', {rows: 1, class: 'key', dir: 'auto', spellcheck: 'false', 'aria-label': `Key of the new element of ${property.name}`, placeholder: 'key'}));
      /** @type {Send} */
      const add = (value, then, problem) => send(key ? {put: value, key: key.value, isNew: true} : {insert: value}, then, problem);
      if (property.embedded) {
        return h('div', {class: 'row'}, key, h('button', {type: 'button', 'aria-label': `New ${property.model} in ${property.name}`, onclick: () =>
          makeObject(property.model, (values, then, problem) => add({object: values}, then, problem))}, `New ${property.model}`));
      }
      if (property.model !== undefined) {
        const box = h('div', {}, h('div', {class: 'row'}, key, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: () => {
          if (box.children.length === 1) box.append(picker(property.model, id => add({link: id}))); else box.lastElementChild?.remove();
        }}, 'Add…')));
        return box;
      }
      const label = `New element of ${property.name}`;
      if (property.scalar === 'data') {
        return h('div', {class: 'row'}, key, h('span', {class: 'soft'}, 'New element:'), fileInput(label, value => {
          const place = key && key.value === '' && problemOf(property.name);
          if (place) place.textContent = 'Type the key first, then choose the file.'; else add(value);
        }));
      }
      if (isChosen(property)) {
        const field = choice({...property, optional: false}, null, label, () => {});
        return h('div', {class: 'row'}, key, field, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: () => add({text: field.value})}, 'Add'));
      }
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': label, placeholder: 'new element',
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') give(); }}));
      let isGiving = false;
      /** Adds what is typed. The fields are empty at once, for the next element; what is refused comes back. */
      const give = async () => {
        const text = input.value;
        // A button that is pressed twice adds one element.
        if (isGiving && text === '') return true;
        isGiving = true;
        const adding = add({text});
        const typedKey = key ? key.value : '';
        input.value = '';
        if (key) key.value = '';
        const isAdded = await adding;
        if (!isAdded && input.value === '' && (!key || key.value === '')) {
          input.value = text;
          if (key) key.value = typedKey;
          for (const field of [input, key]) if (field) refused.add(field);
        }
        isGiving = false;
        showUnsent();
        return isAdded;
      };
      sent.set(input, '');
      senders.set(input, give);
      if (key) {
        sent.set(key, '');
        senders.set(key, async () => {
          if (input.value !== '') return give();
          const place = problemOf(property.name);
          if (place) place.textContent = 'The new element has no value yet.';
          return false;
        });
      }
      return h('div', {class: 'row'}, key, input, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: give}, 'Add'));
    };

    """#
}
