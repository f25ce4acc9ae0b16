/** Lists the documents with the appliance's settings and lets the officer change one of them. */
import type { SettingName, SettingsView } from '../../../../server/counter/contract/settings.ts'
import { useResource } from '../../hooks.ts'
import { linkTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import type { PageProps } from '../page-props.ts'
import { SettingPage } from './setting.tsx'

const SETTING_NAMES = [
  'journey',
  'brand',
  'policy',
  'messages',
  'documents',
  'reasons',
] as const satisfies readonly SettingName[]

export function SettingsPage({ rest }: PageProps) {
  const name = SETTING_NAMES.find((one) => one === rest[0])
  return name ? <SettingPage key={name} name={name} tab={rest[1]} /> : <SettingsList />
}

function SettingsList() {
  const { t } = useText()
  const client = useClient()
  const { data, problem, reload } = useResource<SettingsView>(
    (signal) => client.get('settings', signal),
    'settings',
  )
  return (
    <Page title={t('nav.settings')} lead={t('settings.lead')}>
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={6} />}
      <ul class="checklist">
        {data?.settings.map(({ name, file, origin, heldBy, changedAt, changedBy }) => (
          <li key={name} class="checklist-row tile-quiet">
            <div class="checklist-words">
              <div class="tile-head">
                <h2 class="tile-title">{t(`setting.${name}`)}</h2>
                <Badge
                  tone={origin === 'OWN' ? 'note' : 'quiet'}
                  icon={origin === null ? 'other' : undefined}
                >
                  {t(`settings.origin.${origin ?? 'NONE'}`)}
                </Badge>
              </div>
              <p>{t(`settings.about.${name}`)}</p>
              <p class="muted small">
                {t('settings.file')} <Mono breaks>{file}</Mono>
                {changedAt && (
                  <>
                    {' · '}
                    {t('settings.changed')} <Time at={changedAt} /> {changedBy && <bdi>{changedBy}</bdi>}
                  </>
                )}
                {heldBy && ` · ${t('settings.held')}`}
              </p>
            </div>
            <div class="buttons">
              <LinkButton href={linkTo(`settings/${name}`)} icon="next">
                {t('settings.open-of', { name: t(`setting.${name}`) })}
              </LinkButton>
            </div>
          </li>
        ))}
      </ul>
    </Page>
  )
}
