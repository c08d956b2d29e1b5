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
    /** Fields whose content was refused, as it stands there.
     * @type {WeakSet<Element>} */
    const refused = new WeakSet();
    /** The fields that hold what was not sent, in the open object or in a form. */
    const unsentFields = () => [...document.querySelectorAll('input,textarea')].filter(isUnsent);
    const holdsUnsent = () => unsentFields().length > 0;
    /** Marks what was refused, and lets everything be saved that was not sent. */
    const showUnsent = () => {
      for (const field of aside.querySelectorAll('input,textarea')) {
        if (refused.has(field) && isUnsent(field)) field.setAttribute('aria-invalid', 'true'); else field.removeAttribute('aria-invalid');
      }
      /** @type {HTMLButtonElement} */ (buttons.save).disabled = !(state?.edits > 0) && !holdsUnsent();
    };

    /** Whether the question that is being asked is of what was typed into a field, which holds it still. */
    let isSendingTyped = false;
    /** Sends what is typed into a field, when it is left, Enter is pressed, or all is saved.
     * @param {HTMLInputElement|HTMLTextAreaElement} field @param {() => Promise<boolean>|undefined} send nothing to be sent where it gives none */
    const sendTyped = (field, send) => {
      const stored = field.value;
      let isSending = false;
      sent.set(field, stored);
      const leave = async () => {
        const text = field.value;
        if (isReplacing || isSending && sent.get(field) === text) return true;
        sent.set(field, text);
        refused.delete(field);
        isSending = true;
        isSendingTyped = true;
        const sending = send();
        isSendingTyped = false;
        const isTaken = await sending ?? true;
        isSending = false;
        // What was refused can be sent again as it is: the file may have been locked.
        if (!isTaken && sent.get(field) === text) {
          sent.set(field, stored);
          if (field.value === text) refused.add(field);
        }
        showUnsent();
        return isTaken;
      };
      senders.set(field, leave);
      field.addEventListener('change', leave);
      // Of a text that is as it was when it was refused, a browser tells nothing.
      field.addEventListener('keydown', event => {
        if (event instanceof KeyboardEvent && event.key === 'Enter' && refused.has(field) && field instanceof HTMLInputElement) leave();
      });
      // Of a text that was typed into the field that stood here before, a browser tells nothing.
      field.addEventListener('blur', () => { if (document.activeElement !== field && isUnsent(field)) leave(); });
    };

    /** What fields of the open object held that was not sent, and what is wrong with it, until the fields that take their places are there.
     * @type {{name: string|null, label: string|null, before?: string, typed: string, isRefused: boolean, problem: string}[]} */
    let held = [];
    /** Keeps what is in fields that are about to go. The one that has the keyboard is kept with it.
     * @param {Iterable<Element>} fields */
    const holdUnsent = fields => {
      for (const field of fields) {
        if (field === document.activeElement || !isUnsent(field)) continue;
        const part = partOf(field);
        held.push({name: part?.getAttribute('data-name') ?? null, label: field.getAttribute('aria-label'), before: sent.get(field), typed: field.value,
          isRefused: refused.has(field), problem: part?.querySelector('.error[role=alert]')?.textContent ?? ''});
      }
    };

    /** Puts it into the new fields, unless another value stands there now.
     * @param {string} [whole] the property whose fields are all there; those of collections may come later */
    const giveBack = whole => {
      held = held.filter(({name, label, before, typed, isRefused, problem}) => {
        const part = [...aside.children].find(part => part.getAttribute('data-name') === name);
        const field = [...part?.querySelectorAll('input,textarea') ?? []].find(field => field.getAttribute('aria-label') === label);
        if (!field) return name !== whole;
        // It has another value, or is being typed into.
        if (!isTextField(field) || sent.get(field) !== before || field.value !== before) return false;
        field.value = typed;
        if (isRefused) refused.add(field);
        const place = part?.querySelector('.error[role=alert]');
        if (place && place.textContent === '') place.textContent = problem;
        return false;
      });
      showUnsent();
    };

    /** Lets go of what was refused: the user takes edits back. */
    const forgetRefused = () => {
      for (const field of aside.querySelectorAll('input,textarea')) if (isUnsent(field) && refused.has(field)) sent.set(field, field.value);
      held = held.filter(one => !one.isRefused);
    };

    /** Sends what is typed, but for what was refused where it was left and where there is something else to be saved.
     * @returns whether all of it was taken */
    const sendUnsent = async () => {
      const isAll = state.edits === 0;
      /** @type {Set<string|null>} */
      const tried = new Set();
      let isTaken = true;
      for (;;) {
        // The object is drawn again after each of them.
        const field = unsentFields().find(field => !tried.has(field.getAttribute('aria-label')) && (isAll || field === document.activeElement || !refused.has(field)));
        if (!field) return isTaken;
        tried.add(field.getAttribute('aria-label'));
        if (await senders.get(field)?.() !== false) continue;
        isTaken = false;
        refused.add(field);
        showUnsent();
      }
    };

    /** Stores all edits, and what is being typed before. Where that is refused, nothing is stored, and the field says why. */
    const save = async () => {
      const form = document.querySelector('dialog[open] form .error');
      if (form) { form.textContent = 'Add the object first, or cancel.'; return; }
      // A field that was left a moment ago is being sent still.
      const others = await Promise.all(making);
      const isTaken = await sendUnsent();
      if (!isTaken || !others.every(Boolean)) return alertUser('Nothing was saved: what was typed or chosen last is refused.');
      if (state.edits === 0) return say('There is nothing to save.');
      await change({do: 'save'}, () => { if (holdsUnsent()) alertUser('Saved; what is marked was not.'); else say('saved'); });
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
