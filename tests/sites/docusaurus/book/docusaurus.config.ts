// The sample book's own site, with the plugin, below a base url. Its diagrams stay code: with mermaid, installing and
// building take half as long again.
import book from './book.config';

export default {
  ...book,
  baseUrl: '/book/',
  markdown: {},
  themes: [],
  // Filled in when the site is served: nobody knows the ports before.
  plugins: [['docusaurus-plugin-glossator', {server: 'https://glossator.example', key: 'pk_of-the-test'}]],
};
