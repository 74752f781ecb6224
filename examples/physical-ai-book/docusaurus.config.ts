import type {Config} from '@docusaurus/types';
import type * as Preset from '@docusaurus/preset-classic';
import {themes as prismThemes} from 'prism-react-renderer';
import rehypeKatex from 'rehype-katex';
import remarkMath from 'remark-math';

const config: Config = {
  title: 'Physical AI: A Working Introduction',
  tagline: 'From a single joint to a robot that learns',
  url: 'https://physical-ai.example',
  baseUrl: '/',

  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',

  i18n: {
    defaultLocale: 'en',
    locales: ['en'],
  },

  markdown: {
    mermaid: true,
  },
  themes: ['@docusaurus/theme-mermaid'],

  presets: [
    [
      'classic',
      {
        docs: {
          routeBasePath: 'docs',
          sidebarPath: './sidebars.ts',
          remarkPlugins: [remarkMath],
          rehypePlugins: [rehypeKatex],
        },
        blog: false,
        theme: {
          // Bundles the KaTeX styles and fonts, so the site needs no CDN.
          customCss: [require.resolve('katex/dist/katex.min.css')],
        },
      } satisfies Preset.Options,
    ],
  ],

  themeConfig: {
    navbar: {
      title: 'Physical AI',
      // The book has no separate landing page: the logo leads to the introduction.
      logo: {
        alt: 'Layers of the robot stack',
        src: 'img/robot-stack.svg',
        href: '/docs/',
      },
      items: [
        {
          type: 'docSidebar',
          sidebarId: 'book',
          position: 'left',
          label: 'Book',
        },
      ],
    },
    prism: {
      theme: prismThemes.github,
      darkTheme: prismThemes.dracula,
      additionalLanguages: ['bash', 'cpp', 'yaml', 'python'],
    },
  } satisfies Preset.ThemeConfig,
};

export default config;
