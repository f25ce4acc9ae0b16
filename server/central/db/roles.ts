/**
 * Creates the two roles if they are missing and grants them to the owner. Roles belong to the whole
 * PostgreSQL cluster: another database on it may just have created them. If the owner may not create roles,
 * the administrator does it once (README.md, "The database"), and this only checks.
 */
import { AppError } from '../../errors.ts'
import { APP_ROLE, SYSTEM_ROLE, type OwnerQueries } from './db.ts'

export async function ensureRoles(queries: OwnerQueries): Promise<void> {
  for (const role of [APP_ROLE, SYSTEM_ROLE]) {
    await queries.script(`
      DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
          CREATE ROLE ${role} NOLOGIN;
        END IF;
      EXCEPTION
        WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
      END $$;
      DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
          GRANT ${role} TO CURRENT_USER;
        END IF;
      EXCEPTION
        WHEN insufficient_privilege OR internal_error OR unique_violation OR invalid_grant_operation THEN NULL;
      END $$;
    `)
  }
  // Setting the role is the only proof. A failed SET would end the transaction, so it runs in its own block.
  const [usable] = await queries.query<{ app: boolean; system: boolean }>(
    `SELECT coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), false) AS app,
            coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $2), false) AS system`,
    [APP_ROLE, SYSTEM_ROLE],
  )
  if (!usable?.app || !usable.system) {
    throw new AppError('configuration_invalid', {
      field: 'DATABASE_URL',
      reason: `the user of the database needs the roles ${APP_ROLE} and ${SYSTEM_ROLE}; see server/central/README.md`,
    })
  }
}
