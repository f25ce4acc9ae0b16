/**
 * PostgreSQL separates tenants: every table with rows of tenants is created with `tenantTable`, and every
 * transaction runs as one of two roles without login. `counterproof_app` sees only the rows of `app.tenant`,
 * and none if it is not set; `counterproof_system` has a policy that shows all rows. Neither owns a table,
 * and FORCE applies the policies to the owner too, so that a statement without a role finds nothing.
 *
 * A migration that changes rows runs `SET LOCAL ROLE counterproof_system` first, and `RESET ROLE` after.
 */
import { APP_ROLE, SYSTEM_ROLE } from './db.ts'

type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

/**
 * @param name table with a column `tenant_id` @param appRights rights of the tenant's role on its own rows
 */
export function tenantTable(name: string, appRights: readonly Right[]): string {
  const own = `tenant_id = current_setting('app.tenant', true)`
  // The owner is a member of the role, so the policy would apply to the owner too: it must test the current
  // role.
  const system = `current_user = '${SYSTEM_ROLE}'`
  return `
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;
    REVOKE ALL ON ${name} FROM PUBLIC;
    CREATE POLICY tenant_rows ON ${name} TO ${APP_ROLE} USING (${own}) WITH CHECK (${own});
    CREATE POLICY system_rows ON ${name} TO ${SYSTEM_ROLE} USING (${system}) WITH CHECK (${system});
    ${appRights.length > 0 ? `GRANT ${appRights.join(', ')} ON ${name} TO ${APP_ROLE};` : ''}
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO ${SYSTEM_ROLE};
  `
}

/** A table of the central service itself: the tenant's role may not read it. */
export function systemTable(name: string): string {
  return `
    REVOKE ALL ON ${name} FROM PUBLIC;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO ${SYSTEM_ROLE};
  `
}
