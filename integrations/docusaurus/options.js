'use strict';

/** What is wrong with an option's value, as the rest of a sentence that begins with its name; null when nothing is. */
const FAULTS = {
  server: addressFault,
  key: keyFault,
  position: optional(oneOf('bottom-right', 'bottom-left')),
  title: optional(textFault),
  topics: optional(topicsFault),
  ephemeral: optional(oneOf(true, false)),
  theme: optional(oneOf('auto', 'light', 'dark')),
  language: optional(oneOf('en', 'ar', 'de', 'es', 'fr', 'hi', 'ur', 'zh')),
  book: optional(bookFault),
};
const NAMES = Object.keys(FAULTS);

/**
 * What Docusaurus calls before anything else; a fault ends the build.
 *
 * @param {{options: unknown}} given
 * @returns {import('./index').Options & {id: string}}
 */
function validateOptions({options}) {
  const {id = 'default', ...given} = options ?? {};
  if (id !== 'default') refuse('id', 'cannot be chosen: a site has one assistant');
  for (const name of new Set([...NAMES, ...Object.keys(given)])) {
    const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name](given[name], given) : `is no option; there are ${NAMES.join(', ')}`;
    if (fault) refuse(name, fault);
  }
  return {...given, id, server: new URL(given.server).href.replace(/\/+$/, '')};
}

function refuse(name, fault) {
  throw new Error(`docusaurus-plugin-glossator: ${name} ${fault}`);
}

function addressFault(value) {
  if (value === undefined) return 'is missing: it says where `glossator serve` runs, such as https://ask.book.example';
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return `must be an http or https url, not ${JSON.stringify(value)}`;
  if (url.username || url.password || url.search || url.hash) return 'must be a url without user, query and fragment';
  return null;
}

function keyFault(value, {server}) {
  if (value === undefined) return isOfThisMachine(server) ? null : 'is missing: only a server on this machine may be open to all';
  // Everybody can read what stands in a page.
  if (typeof value !== 'string' || !/^pk_[\w-]+$/.test(value)) {
    return 'must be a publishable one, pk_…, from `glossator keys create --kind publishable --origins …`';
  }
  return null;
}

function isOfThisMachine(server) {
  const {hostname} = new URL(server);
  return hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname) || /(^|\.)localhost$/.test(hostname);
}

function textFault(value) {
  return typeof value === 'string' && value.trim() ? null : `must be a text, not ${JSON.stringify(value)}`;
}

function bookFault(value) {
  const isEach = value !== null && typeof value === 'object' && !Array.isArray(value);
  const pairs = isEach ? Object.entries(value) : [['en', value]];
  const isRight = pairs.every(([locale, book]) => /^[\w-]+$/.test(locale) && /^[A-Za-z0-9-]{1,64}$/.test(book));
  return isRight ? null : `must be a book's name, of letters, digits and -, or {locale: name, …}, not ${JSON.stringify(value)}`;
}

function topicsFault(value) {
  const isList = Array.isArray(value) && value.every((topic) => !textFault(topic) && !topic.includes('|'));
  return isList ? null : 'must be a list of questions, none with a | in it';
}

function oneOf(...allowed) {
  const listed = allowed.map((value) => JSON.stringify(value)).join(' or ');
  return (value) => (allowed.includes(value) ? null : `must be ${listed}, not ${JSON.stringify(value)}`);
}

function optional(faultOf) {
  return (value) => (value === undefined ? null : faultOf(value));
}

module.exports = {NAMES, validateOptions};
