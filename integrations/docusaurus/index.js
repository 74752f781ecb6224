'use strict';

const {NAMES, validateOptions} = require('./options');

const ROOT = '@theme/Root';
const OWN_ROOT = require.resolve('./client/Root');

/**
 * Puts the widget on every page of the site, and lets its citations lead there without loading a page anew.
 *
 * @param {import('@docusaurus/types').LoadContext} _context
 * @param {import('./index').Options} options
 * @returns {import('@docusaurus/types').Plugin<void>}
 */
function glossator(_context, options) {
  return {
    name: 'docusaurus-plugin-glossator',

    // Outside of what React draws, so that an open chat outlives the page it was opened on.
    injectHtmlTags() {
      return {postBodyTags: [{tagName: 'script', attributes: attributesOf(options)}]};
    },

    // The corner that the theme's own "back to top" button likes as well.
    getClientModules() {
      return options.position === 'bottom-left' ? [] : [require.resolve('./client/room.css')];
    },

    // The router can be reached from Root. A site may have a Root of its own, which would hide one that comes as
    // part of a theme; so ours stands around whichever there is.
    configureWebpack({resolve}) {
      return {resolve: {alias: {[ROOT]: OWN_ROOT, '@glossator/site-root': resolve.alias[ROOT]}}};
    },
  };
}

/** @param {import('./index').Options} options */
function attributesOf(options) {
  const said = {...options, topics: options.topics?.join('|'), book: bookOf(options.book)};
  const passed = NAMES.filter((name) => said[name] !== undefined).map((name) => [`data-${name}`, said[name]]);
  // A server that does not answer must keep no other script waiting, hence `async`.
  return {type: 'module', async: true, src: `${options.server}/widget.js`, ...Object.fromEntries(passed)};
}

/** @param {import('./index').Options['book']} book */
function bookOf(book) {
  return typeof book === 'object' ? Object.entries(book).map((pair) => pair.join('=')).join(' ') : book;
}

module.exports = glossator;
module.exports.validateOptions = validateOptions;
