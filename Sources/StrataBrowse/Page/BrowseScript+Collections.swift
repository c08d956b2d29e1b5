/// The elements of lists, sets and maps.
extension BrowseScript {
  static let collections = #"""
    /** How many elements of a collection were asked for, by object and property.
     * @type {Map<string, number>} */
    const wantedElements = new Map();

    /** A field of a list, set or map.
     * @param {any} object @param {any} property @param {any} cell */
    const collection = (object, property, cell) => {
      const box = h('div', {}, h('span', {class: 'soft'}, `${brief(cell)} elements`));
      if (cell === null || cell.n === 0 && !isEditable()) return box;
      const place = `${object.model} ${object.id} ${property.name}`;
      const send = (/** @type {any} */ altered) => alter(object, property, altered);
      const show = async (/** @type {number} */ count) => {
        wantedElements.set(place, count);
        if (wantedElements.size > 200) wantedElements.delete(wantedElements.keys().next().value ?? '');
        /** @type {any[]} */
        const elements = [];
        let total = 0;
        while (elements.length < count) {
          const answer = await ask({do: 'elements', side: shown?.side, model: object.model, id: object.id, property: property.name, from: elements.length, count: Math.min(500, count - elements.length)});
          elements.push(...answer.elements);
          total = answer.total;
          if (answer.elements.length === 0 || elements.length >= total) break;
        }
        const rows = elements.map((element, index) => elementRow(object, property, element, index, total, send));
        const more = elements.length < total && h('button', {type: 'button', onclick: () => show(count * 10).catch(failed)}, `${grouped(total - elements.length)} more`);
        box.replaceChildren(...rows, more || '', isEditable() ? adding(property, send) : '', rows.length === 0 && !isEditable() ? h('span', {class: 'soft'}, 'none') : '');
        focusAgain(property.name);
      };
      const failed = (/** @type {Error} */ error) => box.append(h('p', {class: 'error'}, error.message));
      show(wantedElements.get(place) ?? 50).catch(failed);
      return box;
    };

    /** Changes one element.
     * @param {any} object @param {any} property @param {any} altered */
    const alter = (object, property, altered) => change({do: 'element', model: object.model, id: object.id, property: property.name, change: altered}, undefined, problemOf(property.name));

    /** @param {any} object @param {any} property @param {any} element @param {number} index @param {number} total @param {(change: any) => void} send */
    const elementRow = (object, property, element, index, total, send) => {
      const isMap = property.kind === 'map';
      const name = isMap ? `the value of ${element.key}` : `element ${index + 1}`;
      const replace = (/** @type {any} */ value) => send(isMap ? {put: value, key: element.key} : {replace: value, at: index});
      const cell = element.cell;
      const row = h('div', {class: 'row element'});
      if (isMap) {
        const key = isEditable() ? /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'key', dir: 'auto', 'aria-label': `Key ${element.key} of ${property.name}`,
          onchange: () => { if (key instanceof HTMLInputElement && key.value !== element.key) send({renameKey: element.key, to: key.value}); }})) : h('span', {class: 'name', dir: 'auto'}, element.key);
        if (key instanceof HTMLInputElement) key.value = element.key;
        row.append(key);
      }
      if (cell?.link !== undefined) {
        row.append(h('button', {type: 'button', class: 'wide', dir: 'ltr', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell)));
        if (isEditable() && property.model !== undefined && !property.embedded) {
          row.append(h('button', {type: 'button', 'aria-label': `Choose ${name} of ${property.name}`, onclick: () => {
            if (row.nextElementSibling?.classList.contains('picker')) row.nextElementSibling.remove(); else row.after(picker(property.model, id => replace({link: id})));
          }}, '…'));
        }
      } else if (cell?.length || isEditable() && cell?.bytes === undefined) {
        row.append(elementInput(object, property, cell, index, name, replace));
        if (isEditable() && property.optional && cell !== null) row.append(h('button', {type: 'button', 'aria-label': `Set ${name} of ${property.name} to nil`, onclick: () => replace(null)}, 'nil'));
      } else row.append(h('span', {class: 'wide', dir: 'auto'}, brief(cell)));
      if (isEditable() && property.kind === 'list' && total > 1) {
        row.append(h('button', {type: 'button', 'aria-label': `Move ${name} up`, disabled: index === 0, onclick: () => send({move: index, to: index - 1})}, '↑'),
          h('button', {type: 'button', 'aria-label': `Move ${name} down`, disabled: index === total - 1, onclick: () => send({move: index, to: index + 1})}, '↓'));
      }
      if (isEditable()) row.append(h('button', {type: 'button', 'aria-label': `Remove ${isMap ? element.key : name}`, onclick: () => send(isMap ? {removeKey: element.key} : {remove: index})}, '✕'));
      return row;
    };

    /** @param {any} object @param {any} property @param {any} cell @param {number} index @param {string} name @param {(value: any) => void} replace @returns {HTMLElement} */
    const elementInput = (object, property, cell, index, name, replace) => {
      const label = `${name[0]?.toUpperCase()}${name.slice(1)} of ${property.name}`;
      if (isChosen(property)) return choice(property, cell, label, replace);
      if (cell?.length) {
        const button = h('button', {type: 'button', class: 'wide', dir: 'auto', onclick: async () => {
          const answer = await ask({do: 'elements', side: shown?.side, model: object.model, id: object.id, property: property.name, from: index, count: 1, whole: true});
          const field = longText(answer.elements[0]?.cell?.v ?? '', label, replace);
          button.replaceWith(field);
          field.focus();
        }}, brief(cell));
        return button;
      }
      if (hasBreaks(cell?.v)) return longText(cell.v, label, replace);
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': label,
        placeholder: cell === null ? 'nil' : '', onchange: () => replace({text: input.value})}));
      input.value = cell === null ? '' : cell.v;
      return input;
    };

    /** @param {string} text @param {string} label @param {(value: any) => void} set */
    const longText = (text, label, set) => {
      const area = /** @type {HTMLTextAreaElement} */ (h('textarea', {class: 'wide', dir: 'auto', 'aria-label': label, readonly: !isEditable(), onchange: () => set({text: withBreaks(text, area.value)})}));
      area.value = text;
      return area;
    };

    /** Whether a text has line breaks, which a field of one line would take out.
     * @param {unknown} text */
    const hasBreaks = text => typeof text === 'string' && /[\r\n]/.test(text);

    /** What a field holds, with the line breaks of the stored text: a browser makes each of them a line feed.
     * @param {string} stored @param {string} shown */
    const withBreaks = (stored, shown) => {
      const kinds = new Set(stored.match(/\r\n|\r|\n/g));
      const [only] = kinds;
      return kinds.size === 1 && only !== undefined ? shown.replace(/\n/g, only) : shown;
    };

    /** @param {any} property @param {(change: any) => void} send */
    const adding = (property, send) => {
      const isMap = property.kind === 'map';
      const key = isMap && /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'key', dir: 'auto', 'aria-label': `Key of the new element of ${property.name}`, placeholder: 'key'}));
      const add = (/** @type {any} */ value) => send(key ? {put: value, key: key.value, isNew: true} : {insert: value});
      if (property.embedded) {
        return h('div', {class: 'row'}, key, h('button', {type: 'button', 'aria-label': `New ${property.model} in ${property.name}`, onclick: () => add({object: {}})}, `New ${property.model}`));
      }
      if (property.model !== undefined) {
        const box = h('div', {}, h('div', {class: 'row'}, key, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: () => {
          if (box.children.length === 1) box.append(picker(property.model, id => add({link: id}))); else box.lastElementChild?.remove();
        }}, 'Add…')));
        return box;
      }
      const label = `New element of ${property.name}`;
      if (isChosen(property)) {
        const field = choice({...property, optional: false}, null, label, () => {});
        return h('div', {class: 'row'}, key, field, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: () => add({text: field.value})}, 'Add'));
      }
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': label, placeholder: 'new element',
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') add({text: input.value}); }}));
      return h('div', {class: 'row'}, key, input, h('button', {type: 'button', 'aria-label': `Add to ${property.name}`, onclick: () => add({text: input.value})}, 'Add'));
    };

    """#
}
