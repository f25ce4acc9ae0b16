/** The name of the tenant, and the value that stands in the configuration until the tenant is named. */
export const UNNAMED_TENANT = 'First run'

/** Returns the name that people may read, or null for a tenant without a name. */
export const readTenantName = ({ name }: { readonly name: string }): string | null =>
  name === UNNAMED_TENANT ? null : name
