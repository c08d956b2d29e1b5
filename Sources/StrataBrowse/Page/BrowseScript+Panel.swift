extension BrowseScript {
  static let panel = #"""
    const aside = h('aside', {'aria-label': 'Object', tabindex: -1, hidden: true});
    /** Objects that were open before. @type {{model: string, id: string, side: string}[]} */
    let trail = [];

    /** @param {string} model @param {string} id @param {string} side @param {boolean} [isBack] */
    const openObject = async (model, id, side, isBack) => {
      if (shown && !isBack && (shown.id !== id || shown.model !== model)) trail.push(shown);
      if (trail.length > 50) trail.shift();
      shown = {model, id, side};
      await drawObject();
      for (const grid of grids) grid.draw();
    };

    const closeObject = () => {
      shown = null;
      trail = [];
      aside.hidden = true;
      aside.replaceChildren();
      for (const grid of grids) grid.draw();
      grids[0]?.element.focus();
    };

    const isEditable = () => state.readOnly === null && shown?.side === 'old';

    let drawing = 0;
    const drawObject = async () => {
      if (!shown) return;
      const turn = ++drawing;
      const {model, id, side} = shown;
      let object;
      try {
        object = await ask({do: 'object', side, model, id});
      } catch (error) {
        if (turn !== drawing) return;
        aside.hidden = false;
        aside.replaceChildren(h('div', {class: 'bar'}, h('h2', {}, `${model} ${id}`), h('span', {class: 'grow'}), closeButton()),
          h('p', {class: 'error'}, /** @type {Error} */ (error).message));
        return;
      }
      if (turn !== drawing) return;
      const back = h('button', {type: 'button', class: 'plain', 'aria-label': 'Back', disabled: trail.length === 0, onclick: () => {
        const last = trail.pop();
        if (last) openObject(last.model, last.id, last.side, true);
      }}, '←');
      const remove = isEditable() && h('button', {type: 'button', class: 'danger', onclick: () => change({do: 'delete', model, id}, closeObject)}, 'Delete');
      const fields = object.fields.map((/** @type {any} */ field) => fieldElement(object, field));
      const links = object.links.length === 0 ? null : h('div', {class: 'field'}, h('div', {class: 'label'}, h('span', {class: 'name'}, 'Linked from')),
        h('div', {class: 'row'}, ...object.links.map((/** @type {any} */ link) => h('button', {type: 'button', onclick: () =>
          go({model: link.model, filter: '', sort: [], linked: {property: link.property, model, id}})}, `${link.model}.${link.property} (${brief(link.count)})`))));
      const focused = document.activeElement?.closest('.field')?.getAttribute('data-name');
      aside.hidden = false;
      aside.replaceChildren(h('div', {class: 'bar'}, back, h('h2', {}, `${model} ${id}`), h('span', {class: 'grow'}), remove, closeButton()), ...fields, links ?? '');
      if (focused) {
        const control = aside.querySelector(`[data-name="${CSS.escape(focused)}"] :is(input,textarea,select)`);
        if (control instanceof HTMLElement) control.focus();
      }
    };

    const closeButton = () => h('button', {type: 'button', class: 'plain', 'aria-label': 'Close the object', onclick: closeObject}, '✕');

    /** Makes an edit and shows what became of it.
     * @param {Record<string, any>} question @param {(answer: any) => void} [then] @param {HTMLElement} [problem] */
    const change = async (question, then, problem) => {
      document.body.setAttribute('aria-busy', 'true');
      try {
        const answer = await ask(question);
        if (problem) problem.textContent = '';
        take(answer.state ?? answer);
        then?.(answer);
        await Promise.all(grids.map(grid => grid.reload()));
        if (shown) await drawObject();
      } catch (error) {
        const text = /** @type {Error} */ (error).message;
        if (problem?.isConnected) problem.textContent = text; else alertUser(text);
      } finally {
        document.body.removeAttribute('aria-busy');
      }
    };

    /** @param {string} text */
    const alertUser = text => { failure.textContent = text; say(text); setTimeout(() => { if (failure.textContent === text) failure.textContent = ''; }, 8000); };

    /** @param {any} object @param {any} field */
    const fieldElement = (object, field) => {
      const property = field.property;
      const problem = h('p', {class: 'error', role: 'alert'});
      const set = (/** @type {any} */ value) => change({do: 'set', model: object.model, id: object.id, property: property.name, value}, undefined, problem);
      return h('div', {class: 'field', 'data-name': property.name},
        h('div', {class: 'label', title: property.doc}, h('span', {class: 'name', dir: 'auto'}, property.name), h('span', {class: 'type'}, property.type)),
        control(object, property, field.cell, set), problem);
    };

    /** @param {any} object @param {any} property @param {any} cell @param {(value: any) => void} set */
    const control = (object, property, cell, set) => {
      if (property.kind === 'inverse') {
        return h('div', {class: 'row'}, h('button', {type: 'button', onclick: () =>
          go({model: property.model, filter: '', sort: [], linked: {property: property.property, model: object.model, id: object.id}})}, `${brief(cell)} ${property.model}`));
      }
      if (property.kind !== 'value') return collection(object, property, cell, set);
      if (property.model !== undefined) return link(property, cell, set);
      if (cell !== null && cell.bytes !== undefined || property.scalar === 'data') return bytes(object, property, cell, set);
      if (cell !== null && cell.link !== undefined) return h('button', {type: 'button', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell));
      return scalar(object, property, cell, set);
    };

    /** A field of a value. @param {any} object @param {any} property @param {any} cell @param {(value: any) => void} set */
    const scalar = (object, property, cell, set) => {
      const label = property.name;
      const isEnabled = isEditable();
      const text = cell === null ? '' : cell.v;
      if (property.cases !== undefined || property.scalar === 'bool') {
        const cases = property.cases ?? [{name: 'true', value: 'true'}, {name: 'false', value: 'false'}];
        const options = cases.map((/** @type {any} */ item) => h('option', {value: item.value, selected: cell !== null && item.value === text}, item.name));
        if (property.optional) options.unshift(h('option', {value: '', selected: cell === null}, 'nil'));
        return h('select', {'aria-label': label, disabled: !isEnabled, onchange: (/** @type {any} */ event) =>
          set(event.target.selectedIndex === 0 && property.optional ? null : {text: event.target.value})}, ...options);
      }
      if (cell?.length) {
        const box = h('div', {}, h('textarea', {'aria-label': label, readonly: true, dir: 'auto'}));
        /** @type {any} */ (box.firstChild).value = text + '…';
        box.append(h('div', {class: 'row'}, h('button', {type: 'button', onclick: async () => {
          const whole = await ask({do: 'value', side: shown?.side, model: object.model, id: object.id, property: property.name});
          box.replaceChildren(whole.whole ? typed(property, {v: whole.v}, set, isEnabled) : h('textarea', {'aria-label': label, readonly: true, dir: 'auto'}, whole.v));
        }}, `All ${grouped(cell.length)} characters`)));
        return box;
      }
      return typed(property, cell, set, isEnabled);
    };

    /** @param {any} property @param {any} cell @param {(value: any) => void} set @param {boolean} isEnabled */
    const typed = (property, cell, set, isEnabled) => {
      const isText = property.scalar === 'string';
      const before = cell === null ? '' : cell.v;
      const input = /** @type {HTMLInputElement} */ (h(isText ? 'textarea' : 'input', {type: isText ? null : 'text', 'aria-label': property.name, dir: 'auto',
        readonly: !isEnabled, rows: isText ? 1 : null, spellcheck: 'false', placeholder: cell === null ? 'nil' : '',
        onchange: () => { if (input.value !== before || cell === null) set({text: input.value}); },
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter' && !isText) input.blur(); }}));
      input.value = before;
      const clear = isEnabled && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil');
      return h('div', {class: 'row'}, h('span', {class: 'wide'}, input), clear);
    };

    /** A field of data. @param {any} object @param {any} property @param {any} cell @param {(value: any) => void} set */
    const bytes = (object, property, cell, set) => {
      const address = `${base}/data/${encodeURIComponent(object.model)}/${object.id}/${encodeURIComponent(property.name)}?side=${shown?.side}&change=${state.change}`;
      const file = isEditable() && property.scalar === 'data' && h('input', {type: 'file', 'aria-label': `New content of ${property.name}`, onchange: async (/** @type {any} */ event) => {
        const given = event.target.files[0];
        if (!given) return;
        if (given.size > 32 << 20) return alertUser('A file of at most 32 MB is taken here.');
        const reader = new FileReader();
        reader.onload = () => set({text: String(reader.result).replace(/^[^,]*,/, '')});
        reader.readAsDataURL(given);
      }});
      return h('div', {}, cell?.image && h('img', {src: address, alt: `${property.name} of ${object.model} ${object.id}`}),
        h('div', {class: 'row'}, h('span', {}, brief(cell)), cell !== null && property.scalar === 'data' && h('a', {href: address, download: property.name}, 'Save'),
          isEditable() && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil')), file);
    };

    /** A field of a link, or of an embedded object. @param {any} property @param {any} cell @param {(value: any) => void} set */
    const link = (property, cell, set) => {
      const box = h('div', {});
      const open = cell === null ? h('span', {class: 'soft'}, 'nil')
        : h('button', {type: 'button', class: 'wide', dir: 'auto', onclick: () => openObject(cell.link, cell.id, shown?.side ?? 'old')}, brief(cell));
      const choose = isEditable() && (property.embedded
        ? h('button', {type: 'button', onclick: () => set({object: {}})}, 'New')
        : h('button', {type: 'button', 'aria-label': `Choose ${property.name}`, onclick: () => { if (box.children.length === 1) box.append(picker(property.model, id => set({link: id}))); }}, 'Choose…'));
      const clear = isEditable() && property.optional && cell !== null && h('button', {type: 'button', 'aria-label': `Set ${property.name} to nil`, onclick: () => set(null)}, 'nil');
      box.append(h('div', {class: 'row'}, open, choose, clear));
      return box;
    };

    /** A choice of an object. @param {string} model @param {(id: string) => void} choose */
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
          list.replaceChildren(...page.rows.map((/** @type {any} */ row) => h('li', {}, h('button', {type: 'button', class: 'plain', dir: 'auto', onclick: () => choose(row.id)},
            `${row.id}  ${brief(row.cells[0])}`))));
          if (page.rows.length === 0) list.append(h('li', {class: 'soft'}, 'none'));
        } catch (error) { list.replaceChildren(h('li', {class: 'error'}, /** @type {Error} */ (error).message)); }
      };
      find('');
      return h('div', {class: 'picker'}, h('input', {type: 'text', 'aria-label': `Search ${model}`, placeholder: `Search ${model}`, oninput: (/** @type {any} */ event) => find(event.target.value)}), list);
    };

    const maximumEdited = 500;
    /** A field of a list, set or map. @param {any} object @param {any} property @param {any} cell @param {(value: any) => void} set */
    const collection = (object, property, cell, set) => {
      const box = h('div', {}, h('span', {class: 'soft'}, `${brief(cell)} elements`));
      if (cell === null || cell.n === 0 && !isEditable()) return box;
      const show = async (/** @type {number} */ count) => {
        const answer = await ask({do: 'elements', side: shown?.side, model: object.model, id: object.id, property: property.name, from: 0, count});
        const isWhole = answer.elements.length === answer.total && answer.total <= maximumEdited;
        const isOpen = isEditable() && isWhole && !property.embedded;
        /** @type {any[]} */
        const values = answer.elements.map((/** @type {any} */ element) => ({key: element.key, value: element.cell === null ? null
          : element.cell.link !== undefined && property.model !== undefined ? {link: element.cell.id} : {text: element.cell.v}}));
        // What is shown cut, or as bytes, cannot be sent back.
        const isTyped = isOpen && answer.elements.every((/** @type {any} */ element) => !element.cell?.length && element.cell?.bytes === undefined
          && !(element.cell?.link !== undefined && property.model === undefined));
        const send = () => set(property.kind === 'map' ? {entries: values.map(entry => [entry.key, entry.value])} : {elements: values.map(entry => entry.value)});
        const rows = answer.elements.map((/** @type {any} */ element, /** @type {number} */ index) => h('div', {class: 'row'},
          element.key !== null && h('span', {class: 'name', dir: 'auto'}, element.key),
          element.cell?.link !== undefined
            ? h('button', {type: 'button', class: 'wide', dir: 'auto', onclick: () => openObject(element.cell.link, element.cell.id, shown?.side ?? 'old')}, brief(element.cell))
            : isTyped ? elementInput(property, element.cell, index, value => { values[index].value = value; send(); })
              : h('span', {class: 'wide', dir: 'auto'}, brief(element.cell)),
          isTyped && property.kind === 'list' && index > 0 && h('button', {type: 'button', 'aria-label': `Move element ${index + 1} up`, onclick: () => {
            values.splice(index - 1, 2, values[index], values[index - 1]);
            send();
          }}, '↑'),
          isTyped && h('button', {type: 'button', 'aria-label': `Remove element ${index + 1}`, onclick: () => { values.splice(index, 1); send(); }}, '✕')));
        const more = answer.elements.length < answer.total && h('button', {type: 'button', onclick: () => show(Math.min(500, count * 10))}, `${grouped(answer.total - answer.elements.length)} more`);
        box.replaceChildren(...rows, more || '', isTyped ? adding(property, values, send) : '', rows.length === 0 && !isTyped ? h('span', {class: 'soft'}, 'none') : '');
      };
      show(50).catch(error => box.append(h('p', {class: 'error'}, error.message)));
      return box;
    };

    /** @param {any} property @param {any} cell @param {number} index @param {(value: any) => void} set */
    const elementInput = (property, cell, index, set) => {
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': `Element ${index + 1} of ${property.name}`,
        placeholder: cell === null ? 'nil' : '', onchange: () => set({text: input.value})}));
      input.value = cell === null ? '' : cell.v;
      return input;
    };

    /** @param {any} property @param {any[]} values @param {() => void} send */
    const adding = (property, values, send) => {
      const key = property.kind === 'map' && /** @type {HTMLInputElement} */ (h('input', {type: 'text', 'aria-label': `Key of the new element of ${property.name}`, placeholder: 'key'}));
      const add = (/** @type {any} */ value) => { values.push({key: key ? key.value : null, value}); send(); };
      if (property.model !== undefined) {
        const box = h('div', {}, h('div', {class: 'row'}, key, h('button', {type: 'button', onclick: () => { if (box.children.length === 1) box.append(picker(property.model, id => add({link: id}))); }}, 'Add…')));
        return box;
      }
      const input = /** @type {HTMLInputElement} */ (h('input', {type: 'text', class: 'wide', dir: 'auto', 'aria-label': `New element of ${property.name}`, placeholder: 'new element',
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') add({text: input.value}); }}));
      return h('div', {class: 'row'}, key, input, h('button', {type: 'button', onclick: () => add({text: input.value})}, 'Add'));
    };

    """#

  static let start = #"""
    /** @type {Grid[]} */
    const grids = [new Grid('old')];
    const failure = h('span', {class: 'error', role: 'alert'});
    const title = h('h1', {});
    const facts = h('span', {class: 'soft'});
    const badge = h('span', {class: 'badge', hidden: true});
    const note = h('div', {class: 'note'});
    const models = h('ul', {});
    const counted = h('span', {class: 'soft', 'aria-live': 'polite'});
    const linkedBy = h('span', {});
    const buttons = {
      undo: h('button', {type: 'button', title: 'Takes the last change back', onclick: () => change({do: 'undo'})}, 'Undo'),
      revert: h('button', {type: 'button', onclick: () => change({do: 'revert'}, () => { if (shown) drawObject(); })}, 'Discard'),
      save: h('button', {type: 'button', class: 'main', onclick: () => change({do: 'save'}, () => say('saved'))}, 'Save'),
      sample: h('button', {type: 'button', title: 'Adds ten objects with made-up values', onclick: () => change({do: 'sample', model: query.model, count: 10})}, 'Sample data'),
      create: h('button', {type: 'button', onclick: () => change({do: 'create', model: query.model, values: {}}, answer => openObject(query.model, answer.id, 'old'))}, 'New object'),
    };
    const field = new FilterField(() => query.model, text => { if (text !== query.filter) go({...query, filter: text}, true); });
    grids[0].problem = error => field.tell(error);
    grids[0].counted = total => {
      counted.textContent = `${grouped(total)} ${total === 1 ? 'object' : 'objects'}`;
    };

    /** @param {'csv'|'jsonl'} format */
    const download = format => {
      const {model, filter, sort, linked} = query;
      const link = h('a', {href: `${base}/export?format=${format}&query=${encodeURIComponent(JSON.stringify({model, filter, sort, linked}))}`, download: ''});
      document.body.append(link);
      link.click();
      link.remove();
    };

    let isGone = false;
    /** @param {boolean} gone */
    const setGone = gone => {
      if (gone === isGone) return;
      isGone = gone;
      if (state) drawNote();
    };

    const drawNote = () => {
      const parts = [];
      if (isGone) parts.push(h('strong', {}, 'strata browse has ended: start it again, and open the address that it prints.'));
      else if (state.edits > 0) parts.push('Unsaved changes hold the file’s write lock: other processes wait to write until they are saved or discarded.');
      if (state.readOnly !== null) parts.push(state.readOnly);
      if (state.upgradable) {
        parts.push(h('button', {type: 'button', onclick: showPlan}, 'Plan of the upgrade'),
          h('button', {type: 'button', 'aria-pressed': String(grids.length > 1), onclick: toggleUpgraded}, grids.length > 1 ? 'Hide the upgraded content' : 'Show the upgraded content'));
      }
      note.replaceChildren(...parts.map(part => typeof part === 'string' ? h('span', {}, part) : part));
    };

    const showPlan = async () => {
      try {
        const {text} = await ask({do: 'plan'});
        const dialog = /** @type {HTMLDialogElement} */ (h('dialog', {'aria-label': 'Plan of the upgrade'}, h('pre', {tabindex: 0}, text),
          h('button', {type: 'button', onclick: () => dialog.close()}, 'Close')));
        dialog.addEventListener('close', () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
      } catch (error) { alertUser(/** @type {Error} */ (error).message); }
    };

    const toggleUpgraded = async () => {
      if (grids.length > 1) {
        grids.pop();
        main.lastElementChild?.remove();
        if (shown?.side === 'new') closeObject();
        return drawNote();
      }
      say('upgrading a copy');
      try {
        const upgraded = await ask({do: 'state', side: 'new'});
        const grid = new Grid('new');
        const names = upgraded.models.filter((/** @type {any} */ model) => !model.embedded);
        const choice = h('select', {'aria-label': 'Model of the upgraded content', onchange: (/** @type {any} */ event) => grid.show({model: event.target.value, filter: '', sort: []})},
          ...names.map((/** @type {any} */ model) => h('option', {value: model.name, selected: model.name === query.model}, `${model.name} (${grouped(model.count)})`)));
        const problem = h('p', {class: 'problem', role: 'alert'});
        grid.problem = error => { problem.textContent = error?.message ?? ''; };
        main.append(h('section', {class: 'pane', 'aria-label': 'Upgraded content'}, h('div', {class: 'bar'}, h('strong', {}, `version ${upgraded.version}, upgraded`), choice), problem, grid.element));
        grids.push(grid);
        const model = names.find((/** @type {any} */ model) => model.name === query.model) ?? names[0];
        if (model) await grid.show({model: model.name, filter: '', sort: []});
        drawNote();
      } catch (error) { alertUser(/** @type {Error} */ (error).message); }
    };

    /** Takes what the command says of the file. @param {any} next */
    const take = next => {
      state = next;
      title.textContent = state.file;
      document.title = state.file + ' – Strata';
      facts.textContent = state.schema === null ? '' : `${state.schema}, version ${state.version}`;
      field.element.hidden = !state.conditions;
      badge.hidden = state.readOnly === null && state.edits === 0;
      badge.className = state.edits > 0 ? 'badge edit' : 'badge';
      badge.textContent = state.edits > 0 ? `${state.edits} unsaved ${state.edits === 1 ? 'change' : 'changes'}` : 'read-only';
      for (const button of [buttons.undo, buttons.revert, buttons.save]) {
        button.hidden = state.readOnly !== null;
        /** @type {HTMLButtonElement} */ (button).disabled = state.edits === 0;
      }
      const shownModel = state.models.find((/** @type {any} */ model) => model.name === query.model);
      buttons.create.hidden = buttons.sample.hidden = state.readOnly !== null || shownModel?.embedded === true;
      models.replaceChildren(...state.models.map((/** @type {any} */ model) => h('li', {}, h('button', {type: 'button', title: model.doc, 'data-model': model.name,
        'aria-current': model.name === query.model ? 'true' : null, onclick: () => go({model: model.name, filter: '', sort: []})},
        h('span', {dir: 'auto'}, model.name), model.embedded && h('span', {class: 'badge'}, 'embedded'), h('span', {class: 'soft'}, grouped(model.count))))));
      drawNote();
    };

    /** Shows other objects. @param {Query} next @param {boolean} [replaces] */
    const go = (next, replaces) => {
      const hash = '#' + encodeURIComponent(JSON.stringify(next));
      if (replaces) history.replaceState(null, '', hash); else history.pushState(null, '', hash);
      show(next);
    };

    /** @param {Query} next @param {any} [page] */
    const show = async (next, page) => {
      query = next;
      for (const item of models.querySelectorAll('button')) {
        if (item.dataset.model === query.model) item.setAttribute('aria-current', 'true'); else item.removeAttribute('aria-current');
      }
      field.set(query.filter);
      grids[0].element.setAttribute('aria-label', 'Objects of ' + query.model);
      const model = state.models.find((/** @type {any} */ item) => item.name === query.model);
      buttons.create.hidden = buttons.sample.hidden = state.readOnly !== null || model?.embedded === true;
      linkedBy.replaceChildren(...(query.linked ? [`${query.linked.property} is ${query.linked.model} ${query.linked.id} `,
        h('button', {type: 'button', class: 'plain', 'aria-label': 'Show all', onclick: () => go({model: query.model, filter: query.filter, sort: query.sort})}, '✕')] : []));
      await grids[0].show(query, page);
    };

    const fromAddress = () => {
      try {
        const next = JSON.parse(decodeURIComponent(location.hash.slice(1)));
        if (typeof next.model === 'string' && state.models.some((/** @type {any} */ model) => model.name === next.model)) {
          return {model: next.model, filter: String(next.filter ?? ''), sort: Array.isArray(next.sort) ? next.sort : [], linked: next.linked};
        }
      } catch {}
      return null;
    };
    addEventListener('popstate', () => { const next = fromAddress(); if (next) show(next); });

    const theme = h('button', {type: 'button', 'aria-label': 'Switch between light and dark', onclick: () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = isDark ? 'light' : 'dark';
    }}, '◐');
    const main = h('main', {}, h('section', {class: 'pane', 'aria-label': 'Content'},
      h('div', {class: 'bar'}, field.element, linkedBy, counted, buttons.create, buttons.sample,
        h('button', {type: 'button', onclick: () => download('jsonl')}, 'JSON lines'), h('button', {type: 'button', onclick: () => download('csv')}, 'CSV')),
      field.problem, grids[0].element));
    byApp();
    function byApp() {
      document.getElementById('app')?.append(
        h('header', {}, title, facts, badge, failure, h('span', {class: 'grow'}), buttons.undo, buttons.revert, buttons.save, theme),
        note, h('nav', {'aria-label': 'Models'}, models), main, aside, said);
    }

    addEventListener('keydown', event => {
      const isTyping = /** @type {Element} */ (event.target).matches?.('input,textarea,select');
      if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); if (state.edits > 0) buttons.save.click(); }
      else if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !isTyping) { event.preventDefault(); if (state.edits > 0) buttons.undo.click(); }
      else if (event.key === 'Escape' && shown && !field.proposals.length) closeObject();
      else if (event.key === '/' && !isTyping) { event.preventDefault(); field.input.focus(); }
    });
    addEventListener('beforeunload', event => { if (state?.edits > 0) event.preventDefault(); });

    /** What other processes write shows within a second. */
    const watch = async () => {
      try {
        if (document.visibilityState === 'visible') {
          const next = await ask({do: 'state'});
          if (next.change !== state.change || next.edits !== state.edits) {
            take(next);
            await grids[0].reload();
            if (shown && !aside.contains(document.activeElement)) await drawObject();
          }
        }
      } catch {}
      setTimeout(watch, 1000);
    };

    const first = JSON.parse(document.getElementById('first')?.textContent ?? '{}');
    (async () => {
      query = {model: first.model ?? '', filter: '', sort: []};
      take(first.state ?? await ask({do: 'state'}));
      const asked = fromAddress();
      if (asked) await show(asked);
      else if (first.page) await show(query, first.page);
      performance.mark('rows');
      setTimeout(watch, 1000);
    })();
    """#
}
