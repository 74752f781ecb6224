// What the sample book does not have: a Root of its own, another locale, urls without a slash, an address that must be
// written with percent signs, and a server that is down.
export default {
  title: 'A small site',
  url: 'https://small.example',
  baseUrl: '/',
  trailingSlash: false,
  i18n: {defaultLocale: 'ur', locales: ['ur']},
  presets: [['classic', {docs: {routeBasePath: '/'}, blog: false, pages: false}]],
  plugins: [['docusaurus-plugin-glossator', {server: 'http://127.0.0.1:2', title: 'پوچھیں', topics: ['A?', 'B?'], position: 'bottom-left'}]],
};
