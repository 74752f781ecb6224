import type {LoadContext, Plugin} from '@docusaurus/types';

declare function glossator(context: LoadContext, options: glossator.Options): Plugin<void>;

declare namespace glossator {
  type Options = {
    /** Where `glossator serve` can be reached from the readers' browsers. */
    readonly server: string;
    /** A publishable key for the site's origin; not needed while the server is on the reader's own machine. */
    readonly key?: string;
    /** The corner of the page: bottom-right, unless told otherwise. */
    readonly position?: 'bottom-right' | 'bottom-left';
    readonly title?: string;
    /** Questions that an empty chat suggests. */
    readonly topics?: readonly string[];
    /** Keep nothing: not in the reader's browser, not on the server. */
    readonly ephemeral?: boolean;
    /** Follows the site, unless told otherwise. */
    readonly theme?: 'auto' | 'light' | 'dark';
    /** Of the widget's own words; follows the site's locale, unless told otherwise. */
    readonly language?: 'en' | 'ar' | 'de' | 'es' | 'fr' | 'hi' | 'ur' | 'zh';
    /** Which of the server's books answers, or which for pages of each locale; the default one, unless told otherwise. */
    readonly book?: string | Readonly<Record<string, string>>;
  };

  function validateOptions(context: {readonly options: unknown}): Options;
}

export = glossator;
