/** A style sheet as its minified text; `build.mjs` sees to it. */
declare module "*.css" {
  const css: string;
  export default css;
}
