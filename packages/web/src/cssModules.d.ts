declare module "*.module.css" {
  /** The names that the build gives to the classes of the file. A test checks that those in use exist. */
  const classes: Readonly<Record<string, string>>;
  export = classes;
}
