/// What is typed while the object that is open is drawn again.
extension BrowseScript {
  static let keyboard = #"""
    /** The object whose parts stand there. */
    let drawn = '';
    /** What each part was made of.
     * @type {WeakMap<Element, string>} */
    const madeOf = new WeakMap();
    /** Parts that were kept although they would be drawn otherwise by now.
     * @type {WeakSet<Element>} */
    const stale = new WeakSet();
    /** The properties that edits have changed since the object was drawn; null for any.
     * @type {Set<string|null>} */
    const altered = new Set();

    /** The part of the open object that an element is in: the bar, a field, or the links to the object.
     * @param {unknown} element @returns {Element|null} */
    const partOf = element => {
      if (!(element instanceof Element) || element === aside) return null;
      return [...aside.children].find(part => part.contains(element)) ?? null;
    };

    /** The part that has the keyboard, or in which a button is being pressed. It is drawn anew only where an edit has changed it: what is typed,
     * and what is selected, stays.
     * @returns {Element|null} */
    const keptPart = () => {
      const element = document.activeElement;
      const part = partOf(element);
      if (part === null || altered.has(part.getAttribute('data-name') ?? '')) return null;
      return isTextField(element) || !altered.has(null) ? part : null;
    };

    /** @param {unknown} element @returns {element is HTMLInputElement|HTMLTextAreaElement} */
    const isTextField = element => element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement && element.type === 'text';

    // A part that was kept shows what it is as soon as the keyboard is elsewhere. Where an edit is being made, it draws all of them.
    aside.addEventListener('focusout', event => {
      const part = partOf(event.target);
      if (isReplacing || part === null || !stale.has(part) || running.size > 0) return;
      if (event.relatedTarget instanceof Node && part.contains(event.relatedTarget)) return;
      stale.delete(part);
      drawObject();
    });

    let isReplacing = false;
    /** Puts other elements in the place of some. A browser tells a field that is taken out that it was changed: that is no edit.
     * @param {() => void} replace */
    const replaceQuietly = replace => {
      isReplacing = true;
      try { replace(); } finally { isReplacing = false; }
    };

    /** What was in a field when it was made, or when its content was sent.
     * @type {WeakMap<Element, string>} */
    const sent = new WeakMap();
    /** What sends the content of a field, and says whether it was taken.
     * @type {WeakMap<Element, () => Promise<boolean>>} */
    const senders = new WeakMap();
    /** Whether a field holds what was not sent.
     * @param {unknown} field @returns {field is HTMLInputElement|HTMLTextAreaElement} */
    const isUnsent = field => isTextField(field) && sent.has(field) && sent.get(field) !== field.value;
    /** Whether the page holds what was not sent, in the open object or in a form. */
    const holdsUnsent = () => [...document.querySelectorAll('input,textarea')].some(isUnsent);

    /** Sends what is typed into a field, when it is left, Enter is pressed, or all is saved.
     * @param {HTMLInputElement|HTMLTextAreaElement} field @param {() => Promise<boolean>|undefined} send nothing to be sent where it gives none */
    const sendTyped = (field, send) => {
      const stored = field.value;
      let isSending = false;
      let isRefused = false;
      sent.set(field, stored);
      const leave = async () => {
        const text = field.value;
        if (isReplacing || isSending && sent.get(field) === text) return true;
        sent.set(field, text);
        isSending = true;
        const isTaken = await send() ?? true;
        isSending = false;
        isRefused = !isTaken;
        // What was refused can be sent again as it is: the file may have been locked.
        if (isRefused && sent.get(field) === text) sent.set(field, stored);
        return isTaken;
      };
      senders.set(field, leave);
      field.addEventListener('change', leave);
      field.addEventListener('input', () => { isRefused = false; });
      // Of a text that is as it was when it was refused, a browser tells nothing.
      field.addEventListener('keydown', event => {
        if (event instanceof KeyboardEvent && event.key === 'Enter' && isRefused && field instanceof HTMLInputElement) leave();
      });
      // Of a text that was typed into the field that stood here before, a browser tells nothing.
      field.addEventListener('blur', () => { if (document.activeElement !== field && isUnsent(field)) leave(); });
    };

    /** What fields of the open object hold that was refused, and what is wrong with it: of single values, whose fields are there as soon as the object is.
     * @param {Element|null} kept the part that is not drawn anew */
    const refusedTexts = kept => [...aside.children].flatMap(part => {
      const field = part.querySelector('input,textarea');
      if (part === kept || part.querySelector('.element') || field === document.activeElement || !isUnsent(field)) return [];
      return [{name: part.getAttribute('data-name'), label: field.getAttribute('aria-label'), before: sent.get(field), typed: field.value,
        problem: part.querySelector('.error[role=alert]')?.textContent ?? ''}];
    });

    /** Puts them into the new fields, unless another value stands there now.
     * @param {ReturnType<typeof refusedTexts>} texts */
    const giveBack = texts => {
      for (const {name, label, before, typed, problem} of texts) {
        const part = [...aside.children].find(part => part.getAttribute('data-name') === name);
        const field = part?.querySelector('input,textarea') ?? null;
        if (!isTextField(field) || field.getAttribute('aria-label') !== label || sent.get(field) !== before) continue;
        field.value = typed;
        const place = part?.querySelector('.error[role=alert]');
        if (place) place.textContent = problem;
      }
    };

    /** Lets go of what was refused: the user takes edits back. */
    const forgetRefused = () => {
      for (const field of aside.querySelectorAll('input,textarea')) if (isUnsent(field)) sent.set(field, field.value);
    };

    /** Stores all edits, and what is being typed before. Where that is refused, nothing is stored, and the field says why. */
    const save = async () => {
      const form = document.querySelector('dialog[open] form .error');
      if (form) { form.textContent = 'Add the object first, or cancel.'; return; }
      const field = document.activeElement;
      const isTaken = !isUnsent(field) || await senders.get(field)?.();
      // A field that was left a moment ago is being sent still.
      const others = await Promise.all(making);
      if (!isTaken || !others.every(Boolean)) return alertUser('Nothing was saved: what was typed last is refused.');
      if (state.edits > 0) await change({do: 'save'}, () => say('saved')); else say('There is nothing to save.');
    };

    /** Where the keyboard was before the object was drawn again, and what was typed and not sent yet.
     * @typedef {{name: string, label: string, before?: string, typed?: string, selection?: [number|null, number|null]}} Keyboard */
    /** @type {Keyboard|null} */
    let refocus = null;
    /** @param {string} name @returns {Keyboard} */
    const keyboard = name => {
      const element = document.activeElement;
      const place = {name, label: element?.getAttribute('aria-label') ?? ''};
      if (!isTextField(element)) return place;
      return {...place, before: sent.get(element), typed: element.value, selection: [element.selectionStart, element.selectionEnd]};
    };
    /** Goes back to the same control, which may come later than its field.
     * @param {string} name */
    const focusAgain = name => {
      const place = refocus;
      if (place === null || place.name !== name) return;
      const field = [...aside.querySelectorAll('.field')].find(field => field.getAttribute('data-name') === name);
      // The user has gone elsewhere meanwhile.
      if (document.activeElement !== document.body && !field?.contains(document.activeElement)) { refocus = null; return; }
      const controls = [...field?.querySelectorAll('input,textarea,select,button') ?? []];
      const control = controls.find(control => control.getAttribute('aria-label') === place.label && !control.hasAttribute('disabled')) ?? controls[0];
      if (control instanceof HTMLElement) control.focus();
      if (control?.getAttribute('aria-label') !== place.label) return;
      refocus = null;
      // What was typed since the edit goes on, unless another value stands there now.
      if (!isTextField(control) || place.typed === undefined || place.before === undefined || place.before !== sent.get(control)) return;
      control.value = place.typed;
      const [start, end] = place.selection ?? [null, null];
      control.setSelectionRange(start, end);
    };

    """#
}
