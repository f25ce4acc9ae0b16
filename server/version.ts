/** The product's version, from package.json: in the health report and in every proof. */
import packageJson from '../package.json' with { type: 'json' }

export const PRODUCT_VERSION: string = packageJson.version
