/** Copies the text beside it, and confirms it. */
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { useToast } from '../ui/toast.tsx'

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t } = useText()
  const tell = useToast()
  return (
    <Button
      icon="copy"
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => tell(t('copied')),
          () => tell(t('copy-refused'), { tone: 'attention' }),
        )
      }}
    >
      {label ?? t('copy')}
    </Button>
  )
}
