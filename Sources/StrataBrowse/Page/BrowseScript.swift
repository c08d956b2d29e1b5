/// The script of the page. All content is put in as text, never as HTML.
enum BrowseScript {
  static let text = frame + grid + filter + panel + keyboard + collections + form + start

  private static let frame = #"""
    // @ts-check
    'use strict';
    const token = document.body.dataset.token ?? '';
    const base = '/' + token;
    const ROW = 30;

    /** Makes an element. Children are elements or texts; a text is never read as HTML.
     * @param {string} name @param {Record<string, any>} [facts] @param {...(Node|string|null|undefined|false)} children */
    const h = (name, facts = {}, ...children) => {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(facts)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'class') element.className = value;
        else if (key === 'value') /** @type {any} */ (element).value = value;
        else element.setAttribute(key, value === true ? '' : String(value));
      }
      for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
      return element;
    };

    /** A question to the command.
     * @param {Record<string, any>} question @returns {Promise<any>} */
    const ask = async question => {
      let answer;
      try {
        answer = await fetch(base + '/api', {method: 'POST', body: JSON.stringify(question),
          headers: {'Content-Type': 'application/json', 'X-Strata-Token': token}});
      } catch {
        setGone('ended');
        throw new Error('strata browse has ended.');
      }
      // Each start of the command has an address of its own.
      if (answer.status === 403) {
        setGone('anew');
        throw new Error('strata browse was started anew: open the address that it prints.');
      }
      setGone(null);
      const json = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(json.error), {code: json.code});
      return json;
    };

    /** @param {number} number */
    const grouped = number => number.toLocaleString('en');
    const said = h('p', {class: 'hidden', role: 'status', id: 'said'});
    /** @param {string} text */
    const say = text => { said.textContent = text; };

    /** A text of the data inside of a line of ours: whatever its direction, what stands around it stays where it is.
     * @param {string} text */
    const isolated = text => '\u2068' + text + '\u2069';

    /** What stands for U+0000, which no font shows: its control picture, or where the text has that itself, a sign that it does not have.
     * @param {string} text */
    const nulSign = text => {
      let code = 0x2400;
      while (text.includes(String.fromCodePoint(code))) code = code === 0x2400 ? 0xe000 : code + 1;
      return String.fromCodePoint(code);
    };
    /** A text of the data with all that is in it.
     * @param {string} text */
    const visible = text => text.includes('\0') ? text.replaceAll('\0', nulSign(text)) : text;
    /** Says what the sign in a field stands for.
     * @param {unknown} text */
    const nulNote = text => typeof text === 'string' && text.includes('\0') && h('span', {class: 'soft'}, `${nulSign(text)} stands for U+0000`);

    /** What a cell says in a line.
     * @param {any} cell @returns {string} */
    const brief = cell => {
      if (cell === null || cell === undefined) return 'nil';
      if (cell.link !== undefined) return (cell.v !== undefined ? isolated(visible(cell.v)) + ' ' : '') + '→ ' + cell.link + ' ' + cell.id;
      if (cell.n !== undefined) return grouped(cell.n) + (cell.more ? '+' : '');
      if (cell.bytes !== undefined) return grouped(cell.bytes) + ' bytes' + (cell.image ? ', ' + cell.image : '');
      const value = visible(cell.v);
      const text = cell.case !== undefined && cell.case !== cell.v ? cell.case + ' (' + value + ')' : value;
      return cell.length ? isolated(text) + '… (' + grouped(cell.length) + ' characters)' : text;
    };

    /** @typedef {{model: string, filter: string, sort: {path: string, ascending: boolean}[], linked?: any}} Query */
    /** @type {any} */
    let state = null;
    /** @type {Query} */
    let query = {model: '', filter: '', sort: []};
    /** The object that is shown: its model, its identity and its side.
     * @type {{model: string, id: string, side: string}|null} */
    let shown = null;

    """#
}
