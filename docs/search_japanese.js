// Search for Japanese, and for parts of words. The index of mdBook knows words of English alone; for a query with other letters this
// script looks for its text in the texts of all pages, which the index has.
(() => {
    'use strict';

    const MOST = 30;
    const AROUND = 40;
    const FOREIGN = /[^\x00-\x7f]/;

    const byId = (name) => document.getElementById(`mdbook-${name}`) ?? document.getElementById(name);

    function found(query) {
        const { index, doc_urls: urls } = window.search;
        const hits = [];
        for (const [id, doc] of Object.entries(index.documentStore.docs)) {
            const at = doc.body.toLowerCase().indexOf(query);
            const isTitle = doc.title.toLowerCase().includes(query);
            if (at >= 0 || isTitle) hits.push({ doc, url: urls[id], at, isTitle });
        }
        return hits.sort((a, b) => b.isTitle - a.isTitle).slice(0, MOST);
    }

    function item(root, query, { doc, url, at }) {
        const link = document.createElement('a');
        const [page, fragment] = url.split('#');
        link.href = `${root}${page}?highlight=${encodeURIComponent(query)}${fragment ? `#${fragment}` : ''}`;
        link.textContent = doc.breadcrumbs;
        const teaser = document.createElement('span');
        teaser.className = 'teaser';
        if (at >= 0) {
            const mark = document.createElement('em');
            mark.textContent = doc.body.slice(at, at + query.length);
            const from = Math.max(0, at - AROUND);
            teaser.append(doc.body.slice(from, at), mark, doc.body.slice(at + query.length, at + query.length + 2 * AROUND));
        }
        const entry = document.createElement('li');
        entry.append(link, teaser);
        return entry;
    }

    function show(event) {
        const query = event.target.value.trim().toLowerCase();
        if (!FOREIGN.test(query) || !window.search?.index) return;
        event.stopImmediatePropagation();
        const hits = found(query);
        byId('searchresults').replaceChildren(...hits.map((hit) => item(window.path_to_root ?? '', query, hit)));
        byId('searchresults-header').textContent = `${hits.length} results for ${query}:`;
        byId('searchresults-outer').classList.remove('hidden');
    }

    const bar = byId('searchbar');
    // In the capturing phase: before the search of mdBook.
    for (const type of ['input', 'keyup']) bar?.addEventListener(type, show, true);
})();
