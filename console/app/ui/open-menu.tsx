/** The menu of `menu.tsx`, open from the beginning. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { Fragment } from "react";
import { Icon } from "./icon.tsx";
import type { MenuItem, MenuProps } from "./menu.tsx";
import css from "./menu.module.css";

export function OpenMenu({
  label,
  items,
  children,
  className,
  side = "bottom",
  container,
}: MenuProps & {
  /** Where the list is put. */
  readonly container: HTMLElement;
}) {
  return (
    // The policy of the page allows no style elements.
    <CSPProvider disableStyleElements>
      <Menu.Root defaultOpen>
        <Menu.Trigger className={className} aria-label={label}>
          {children}
        </Menu.Trigger>
        <Menu.Portal container={container}>
          <Menu.Positioner className={css["positioner"]} side={side} align="end" sideOffset={4}>
            <Menu.Popup className={css["popup"]}>
              {items.map((item, index) => (
                <Fragment key={item.label}>
                  {item.group === undefined ? null : (
                    <>
                      {index === 0 ? null : <Menu.Separator className={css["separator"]} />}
                      {item.group === "" ? null : <div className={css["group"]}>{item.group}</div>}
                    </>
                  )}
                  <Entry {...item} />
                </Fragment>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}

function Entry({ label, icon, onSelect, to, disabledReason = null, isDanger = false, isChosen }: MenuItem) {
  const words = (
    <>
      {icon === undefined ? null : <Icon of={icon} />}
      <span className={css["words"]}>
        {label}
        {disabledReason === null ? null : <small>{disabledReason}</small>}
      </span>
      {isChosen === true ? <Icon of={Check} /> : null}
    </>
  );
  const looks = { className: css["item"], "data-danger": isDanger };
  if (to !== undefined && disabledReason === null)
    return (
      <Menu.LinkItem {...looks} href={to} closeOnClick>
        {words}
      </Menu.LinkItem>
    );
  return (
    <Menu.Item
      {...looks}
      {...(isChosen === undefined ? {} : { role: "menuitemradio", "aria-checked": isChosen })}
      disabled={disabledReason !== null}
      onClick={() => onSelect?.()}
    >
      {words}
    </Menu.Item>
  );
}
