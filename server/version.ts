/** Version of the product from package.json; part of the health report and of every proof. */
import packageJson from '../package.json' with { type: 'json' }

export const PRODUCT_VERSION: string = packageJson.version
