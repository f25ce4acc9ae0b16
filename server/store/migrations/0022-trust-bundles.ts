/** Trust bundles of the central service: the bundle that brought a file, or confirmed it last. NULL: imported by hand. */
export const trustBundles = `
ALTER TABLE trust_files ADD COLUMN bundle_version INTEGER CHECK (bundle_version > 0);
`
