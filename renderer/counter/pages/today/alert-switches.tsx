/** How this computer calls: with a sound, and with a note of the desktop, which the browser is asked for by a press alone. */
import { useState } from 'preact/hooks'
import { askForNotes, isSoundOn, notePermission, ring, setSoundOn } from '../../alerts.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'

export function AlertSwitches() {
  const { t } = useText()
  const [sound, setSound] = useState(isSoundOn)
  const [notes, setNotes] = useState(notePermission)
  return (
    <div class="alert-switches">
      <CheckField
        label={t('waiting.sound')}
        checked={sound}
        onChange={(on) => {
          setSoundOn(on)
          setSound(on)
          // Heard at once, so that one knows how loud it is.
          if (on) ring()
        }}
      />
      {notes === 'default' && (
        <Button kind="quiet" onClick={() => void askForNotes().then(setNotes)}>
          {t('waiting.notes.ask')}
        </Button>
      )}
      {notes === 'granted' && <span class="muted">{t('waiting.notes.on')}</span>}
      {notes === 'denied' && <span class="muted">{t('waiting.notes.denied')}</span>}
    </div>
  )
}
