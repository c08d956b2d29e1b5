/// What the page does when it is there: the frame around the content, and what others write.
extension BrowseScript {
  static let start = #"""
    /** @type {Grid[]} */
    const grids = [new Grid('old')];
    const failure = h('span', {class: 'error', role: 'alert'});
    const title = h('h1', {});
    const facts = h('span', {class: 'soft'});
    const badge = h('span', {class: 'badge', hidden: true});
    const note = h('section', {class: 'note', 'aria-label': 'Notes on the file', hidden: true});
    const models = h('ul', {});
    const counted = h('span', {class: 'soft', 'aria-live': 'polite'});
    const linkedBy = h('span', {});
    const buttons = {
      undo: h('button', {type: 'button', title: 'Takes the last change back', onclick: () => change({do: 'undo'})}, 'Undo'),
      revert: h('button', {type: 'button', onclick: () => change({do: 'revert'}, () => { if (shown) drawObject(); })}, 'Discard'),
      save: h('button', {type: 'button', class: 'main', onclick: () => save()}, 'Save'),
      sample: h('button', {type: 'button', title: 'Adds ten objects with made-up values', onclick: () => change({do: 'sample', model: query.model, count: 10})}, 'Sample data'),
      create: h('button', {type: 'button', onclick: () => createObject(query.model)}, 'New object'),
    };
    /** @param {string} model */
    const createObject = model => makeObject(model, (values, then, problem) => change({do: 'create', model, values}, answer => {
      then?.();
      openObject(model, answer.id, 'old');
    }, problem));
    const field = new FilterField(() => query.model, text => { if (text !== query.filter) go({...query, filter: text}, true); });
    grids[0].problem = (/** @type {Error|null} */ error) => field.tell(error);
    grids[0].counted = (/** @type {number|null|undefined} */ total) => {
      counted.textContent = total === undefined ? '' : total === null ? 'counting…' : `${grouped(total)} ${total === 1 ? 'object' : 'objects'}`;
    };

    /** @param {'csv'|'jsonl'} format */
    const download = format => {
      const {model, filter, sort, linked} = query;
      const link = h('a', {href: `${base}/export?format=${format}&query=${encodeURIComponent(JSON.stringify({model, filter, sort, linked}))}`, download: ''});
      document.body.append(link);
      link.click();
      link.remove();
    };

    /** Why the command does not answer this page any more; null as long as it does.
     * @type {'ended'|'anew'|null} */
    let gone = null;
    /** @param {'ended'|'anew'|null} why */
    const setGone = why => {
      if (why === gone) return;
      gone = why;
      if (state) drawNote();
    };

    const drawNote = () => {
      const parts = [];
      if (gone === 'ended') parts.push(h('strong', {}, 'strata browse has ended: start it again, and open the address that it prints.'));
      else if (gone === 'anew') parts.push(h('strong', {}, 'strata browse was started anew: open the address that it prints. Changes that were not saved are gone.'));
      else if (state.edits > 0) parts.push('Unsaved changes hold the file’s write lock: other processes wait to write until they are saved or discarded.');
      if (state.readOnly !== null) parts.push(state.readOnly);
      if (state.upgradable) {
        parts.push(h('button', {type: 'button', onclick: showPlan}, 'Plan of the upgrade'),
          h('button', {type: 'button', 'aria-pressed': String(grids.length > 1), onclick: toggleUpgraded}, grids.length > 1 ? 'Hide the upgraded content' : 'Show the upgraded content'));
      }
      note.hidden = parts.length === 0;
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
          ...names.map((/** @type {any} */ model) => h('option', {value: model.name, selected: model.name === query.model}, model.count === null ? model.name : `${model.name} (${grouped(model.count)})`)));
        const problem = h('p', {class: 'problem', role: 'alert'});
        grid.problem = error => { problem.textContent = error?.message ?? ''; };
        main.append(h('section', {class: 'pane', 'aria-label': 'Upgraded content'}, h('div', {class: 'bar'}, h('strong', {}, `version ${upgraded.version}, upgraded`), choice), problem, grid.element));
        grids.push(grid);
        const model = names.find((/** @type {any} */ model) => model.name === query.model) ?? names[0];
        if (model) await grid.show({model: model.name, filter: '', sort: []});
        drawNote();
      } catch (error) { alertUser(/** @type {Error} */ (error).message); }
    };

    /** Takes what the command says of the file.
     * @param {any} next */
    const take = next => {
      state = next;
      title.textContent = state.file;
      document.title = state.file + ' – Strata';
      facts.textContent = state.schema === null ? '' : `${state.schema}, version ${state.version}`;
      field.element.hidden = !state.conditions;
      badge.hidden = state.readOnly === null && state.edits === 0;
      badge.className = state.edits > 0 ? 'badge edit' : 'badge';
      badge.textContent = state.edits > 0 ? `${state.edits} unsaved ${state.edits === 1 ? 'change' : 'changes'}` : 'read-only';
      for (const button of [buttons.undo, buttons.revert, buttons.save]) button.hidden = state.readOnly !== null;
      for (const button of [buttons.undo, buttons.revert]) /** @type {HTMLButtonElement} */ (button).disabled = state.edits === 0;
      showUnsent();
      const shownModel = state.models.find((/** @type {any} */ model) => model.name === query.model);
      buttons.create.hidden = buttons.sample.hidden = state.readOnly !== null || shownModel?.embedded === true;
      const ordered = [...state.models].sort((one, other) => Number(one.embedded) - Number(other.embedded));
      models.replaceChildren(...ordered.map((/** @type {any} */ model) => h('li', {}, h('button', {type: 'button', title: model.doc, 'data-model': model.name,
        'aria-current': model.name === query.model ? 'true' : null, onclick: () => go({model: model.name, filter: '', sort: []})},
        h('span', {dir: 'auto'}, model.name), model.embedded && h('span', {class: 'badge'}, 'embedded'), h('span', {class: 'soft'}, model.count === null ? '…' : grouped(model.count))))));
      drawNote();
      if (state.models.some((/** @type {any} */ model) => model.count === null)) countModels();
    };

    let isCountingModels = false;
    /** Asks for the numbers that would have held the first rows up. */
    const countModels = async () => {
      if (isCountingModels) return;
      isCountingModels = true;
      try { take(await ask({do: 'state', counted: true})); } catch {} finally { isCountingModels = false; }
    };

    /** Shows other objects.
     * @param {Query} next @param {boolean} [replaces] */
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
      if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); save(); }
      else if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !isTyping) { event.preventDefault(); if (state.edits > 0) buttons.undo.click(); }
      else if (event.key === 'Escape' && shown && !field.proposals.length) closeObject();
      else if (event.key === '/' && !isTyping) { event.preventDefault(); field.input.focus(); }
    });
    addEventListener('input', event => {
      if (event.target instanceof Element) refused.delete(event.target);
      showUnsent();
    });
    addEventListener('beforeunload', event => { if (state?.edits > 0 || holdsUnsent()) event.preventDefault(); });

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
      } catch (error) {
        const {code, message} = /** @type {Error & {code?: string}} */ (error);
        // The file has another schema by now, or is another one: nothing that is shown can be asked for any more.
        if (['STR5001', 'STR5005', 'STR5006'].includes(code ?? '')) alertUser(`${message} Start strata browse again.`);
      }
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
