/// The form for what a new object has to have.
extension BrowseScript {
  static let form = #"""
    /** A field of a form, and what it holds in the form that the command takes.
     * @typedef {{element: HTMLElement, value: () => any}} FormField */

    /** Embedded objects in embedded objects at most. */
    const maximumDepth = 32;

    /** The fields of all properties that have to be given a value.
     * @param {string} model @param {number} [depth] @returns {Promise<Map<string, FormField>>} */
    const requiredFields = async (model, depth = 0) => {
      /** @type {Map<string, FormField>} */
      const fields = new Map();
      if (depth >= maximumDepth) return fields;
      const {columns} = await ask({do: 'model', model});
      for (const property of columns) if (property.required) fields.set(property.name, await formField(property, depth));
      return fields;
    };

    /** @param {Map<string, FormField>} fields */
    const formValues = fields => Object.fromEntries([...fields].map(([name, field]) => [name, field.value()]));

    /** @param {any} property @param {number} depth @returns {Promise<FormField>} */
    const formField = async (property, depth) => {
      const type = h('span', {class: 'type'}, property.type);
      if (property.embedded) {
        const fields = await requiredFields(property.model, depth + 1);
        const inner = [...fields.values()].map(field => field.element);
        return {element: h('fieldset', {class: 'field', 'data-name': property.name}, h('legend', {}, h('span', {class: 'name', dir: 'auto'}, property.name), ' ', type), ...inner),
          value: () => ({object: formValues(fields)})};
      }
      const {control, value} = formControl(property);
      return {value, element: h('div', {class: 'field', 'data-name': property.name},
        h('div', {class: 'label', title: property.doc}, h('span', {class: 'name', dir: 'auto'}, property.name), type), control)};
    };

    /** @param {any} property @returns {{control: HTMLElement, value: () => any}} */
    const formControl = property => {
      const label = {'aria-label': property.name};
      if (property.model !== undefined) {
        /** @type {string|null} */
        let chosen = null;
        const box = h('div', {});
        const button = h('button', {type: 'button', class: 'wide', 'aria-label': `Choose ${property.name}`, onclick: () => {
          if (box.children.length > 1) return box.lastElementChild?.remove();
          box.append(picker(property.model, id => {
            chosen = id;
            button.textContent = `→ ${property.model} ${id}`;
            button.setAttribute('aria-label', `${property.name}: ${property.model} ${id}, choose another`);
            box.lastElementChild?.remove();
            button.focus();
          }));
        }}, 'Choose…');
        box.append(h('div', {class: 'row'}, button));
        return {control: box, value: () => chosen === null ? null : {link: chosen}};
      }
      if (isChosen(property)) {
        const cases = property.cases ?? [{name: 'false', value: 'false'}, {name: 'true', value: 'true'}];
        const select = /** @type {HTMLSelectElement} */ (h('select', label, h('option', {value: ''}, ''),
          ...cases.map((/** @type {any} */ item) => h('option', {value: item.value}, item.name))));
        return {control: select, value: () => select.selectedIndex === 0 ? null : {text: select.value}};
      }
      if (property.scalar === 'data') {
        let content = '';
        let turn = 0;
        const file = h('input', {type: 'file', ...label, onchange: async (/** @type {any} */ event) => {
          const input = event.target;
          input.setCustomValidity('The file is still being read.');
          const now = ++turn;
          const read = await fileContent(input.files[0]);
          // Another one was chosen meanwhile.
          if (now !== turn) return;
          // Without the name of a file that was not taken.
          if (read === null) input.value = '';
          content = read ?? '';
          input.setCustomValidity('');
        }});
        return {control: file, value: () => ({text: content})};
      }
      const isText = property.scalar === 'string';
      const input = /** @type {HTMLInputElement} */ (h(isText ? 'textarea' : 'input', {type: isText ? null : 'text', rows: isText ? 1 : null, dir: 'auto', spellcheck: 'false', ...label}));
      sent.set(input, '');
      return {control: input, value: () => ({text: input.value})};
    };

    /** What a file holds, as the command takes it; null for none, and for one that is too large.
     * @param {File|undefined} file @returns {Promise<string|null>} */
    const fileContent = async file => {
      if (!file) return null;
      if (file.size > 32 << 20) { alertUser('A file of at most 32 MB is taken here.'); return null; }
      return new Promise(resolve => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
        reader.onerror = () => { alertUser('The file cannot be read.'); resolve(null); };
        reader.readAsDataURL(file);
      });
    };

    /** A choice of a file, whose content becomes a value.
     * @param {string} label @param {(value: any) => void} set */
    const fileInput = (label, set) => {
      let turn = 0;
      return h('input', {type: 'file', 'aria-label': label, onchange: async (/** @type {any} */ event) => {
        const now = ++turn;
        const content = await fileContent(event.target.files[0]);
        if (now !== turn) return;
        // Where it is refused, the same file can be chosen again: of one that is still there, a browser tells nothing.
        event.target.value = '';
        if (content !== null) set({text: content});
      }});
    };

    /** Asks for what a new object has to have, and makes it; at once where there is nothing to ask for.
     * @param {string} model @param {(values: any, then?: () => void, problem?: HTMLElement) => void} make */
    const makeObject = async (model, make) => {
      /** @type {Map<string, FormField>} */
      let fields;
      try { fields = await requiredFields(model); } catch (error) { return alertUser(/** @type {Error} */ (error).message); }
      const elements = [...fields.values()].map(field => field.element);
      // Embedded objects may have nothing to ask for.
      if (!elements.some(element => element.querySelector('input,select,textarea,button'))) return make(formValues(fields));
      const problem = h('p', {class: 'error', role: 'alert'});
      const dialog = /** @type {HTMLDialogElement} */ (h('dialog', {'aria-label': `New ${model}`}, h('form', {onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        make(formValues(fields), () => dialog.close(), problem);
      }}, h('h2', {}, `New ${model}`), ...elements, problem,
        h('div', {class: 'row'}, h('button', {class: 'main'}, 'Add'), h('button', {type: 'button', onclick: () => dialog.close()}, 'Cancel')))));
      dialog.addEventListener('close', () => { dialog.remove(); showUnsent(); });
      // The dialog alone is closed, and not the object behind it.
      dialog.addEventListener('keydown', event => { if (event.key === 'Escape') { event.stopPropagation(); event.preventDefault(); dialog.close(); } });
      document.body.append(dialog);
      dialog.showModal();
    };

    """#
}
