/** `build.mjs` imports a style sheet as its minified text. */
declare module "*.css" {
  const css: string;
  export default css;
}
