import { Maximize2, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { GraphNode } from "../../../sdk/src/generated/types.ts";
import { ENVIRONMENT, type GraphLine, type GraphPicture, type GraphPlace } from "../api/environment-graph.ts";
import { Link } from "../components/link.tsx";
import { ServiceHealth } from "../components/service-health.tsx";
import { ServiceIcon } from "../components/service-link.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import css from "./graph-picture.module.css";

/** In pixels, as the styles have them. */
const BOX = { width: 208, height: 72 };
const GAP = { x: 80, y: 20 };
const ZOOM = { least: 0.4, most: 1.6, step: 0.2 };

type Props = {
  readonly environmentId: string;
  readonly nodes: readonly GraphNode[];
  readonly picture: GraphPicture;
};

/** Services as boxes, with an arrow to each that they refer to. The table below it has the same facts. */
export function PictureOfGraph({ environmentId, nodes, picture }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [zoom, setZoom] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);
  const arrow = useId();
  const { places, lines, columns, rows } = picture;
  const placeOf = new Map(places.map((place) => [place.id, place]));
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const width = columns * (BOX.width + GAP.x) - GAP.x;
  const height = rows * (BOX.height + GAP.y) - GAP.y;
  // A listener of React cannot keep the browser from zooming the page. Two fingers on a touchpad are a wheel with Ctrl.
  useEffect(() => {
    const box = scroller.current;
    const zoomByWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom((now) => inRange(now - Math.sign(event.deltaY) * (ZOOM.step / 4)));
    };
    box?.addEventListener("wheel", zoomByWheel, { passive: false });
    return () => box?.removeEventListener("wheel", zoomByWheel);
  }, []);
  return (
    <div className={css["frame"]}>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- what is wider than the page is moved by keys */}
      <div
        ref={scroller}
        className={css["box"]}
        role="group"
        aria-label="Picture of the services"
        tabIndex={0}
        onKeyDown={({ key, ctrlKey, metaKey }) => {
          if (ctrlKey || metaKey) return;
          if (key === "+" || key === "=") setZoom((now) => inRange(now + ZOOM.step));
          if (key === "-") setZoom((now) => inRange(now - ZOOM.step));
          if (key === "0") setZoom(1);
        }}
      >
        <div className={css["picture"]} style={{ width, height, zoom }}>
          <svg width={width} height={height} aria-hidden="true">
            <defs>
              <marker
                id={arrow}
                viewBox="0 0 8 8"
                refX="8"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8z" className={css["head"]} />
              </marker>
            </defs>
            {lines.map((line) => {
              const [from, to] = [placeOf.get(line.from), placeOf.get(line.to)];
              if (from === undefined || to === undefined) return null;
              return (
                <path
                  key={`${line.from} ${line.to}`}
                  d={curve(from, to)}
                  markerEnd={`url(#${arrow})`}
                  className={classOf(line, chosen)}
                />
              );
            })}
          </svg>
          <ul>
            {places.map((place) => (
              <li
                key={place.id}
                style={{ left: leftOf(place), top: topOf(place) }}
                onMouseEnter={() => setChosen(place.id)}
                onMouseLeave={() => setChosen(null)}
                onFocus={() => setChosen(place.id)}
                onBlur={() => setChosen(null)}
              >
                <Box environmentId={environmentId} node={nodeOf.get(place.id) ?? null} />
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div className={css["controls"]} role="group" aria-label="Zoom">
        <Button
          size="small"
          aria-label="Zoom out"
          title="Zoom out (−)"
          disabledReason={zoom <= ZOOM.least ? "It is as small as it gets." : null}
          onClick={() => setZoom(inRange(zoom - ZOOM.step))}
        >
          <Icon of={ZoomOut} />
        </Button>
        <output className={css["zoom"]}>{Math.round(zoom * 100)} %</output>
        <Button
          size="small"
          aria-label="Zoom in"
          title="Zoom in (+)"
          disabledReason={zoom >= ZOOM.most ? "It is as large as it gets." : null}
          onClick={() => setZoom(inRange(zoom + ZOOM.step))}
        >
          <Icon of={ZoomIn} />
        </Button>
        <Button
          size="small"
          aria-label="Fit the map to the page"
          title="Fit the map to the page"
          onClick={() => setZoom(zoomToFit(scroller.current, width))}
        >
          <Icon of={Maximize2} />
        </Button>
      </div>
    </div>
  );
}

function inRange(zoom: number): number {
  return Math.round(Math.min(ZOOM.most, Math.max(ZOOM.least, zoom)) * 100) / 100;
}

/** Space on both sides of the picture, in pixels, as the styles have it. */
const PADDING = 2 * 20;

function zoomToFit(box: HTMLElement | null, width: number): number {
  return box === null ? 1 : inRange(Math.min(1, (box.clientWidth - PADDING) / width));
}

/** @param props.node null: the variables of the environment */
function Box({ environmentId, node }: { readonly environmentId: string; readonly node: GraphNode | null }) {
  if (node === null)
    return (
      <>
        <Link to={paths.environmentVariables(environmentId)} className={css["open"]}>
          Variables of the environment
        </Link>
        <small>all services get them</small>
      </>
    );
  return (
    <>
      <span className={css["name"]}>
        <ServiceIcon type={node.type} />
        <Link to={paths.service(node.id)} className={css["open"]}>
          {node.name}
        </Link>
      </span>
      <ServiceHealth service={node} />
    </>
  );
}

function classOf({ from, to, isWaiting }: GraphLine, chosen: string | null): string {
  const isAside = chosen !== null && chosen !== from && chosen !== to;
  const names = [css["line"], isWaiting ? css["waiting"] : "", isAside ? css["aside"] : ""];
  return names.filter(Boolean).join(" ");
}

const leftOf = ({ column }: GraphPlace): number => column * (BOX.width + GAP.x);
const topOf = ({ row }: GraphPlace): number => row * (BOX.height + GAP.y);

/** From the right side of one box to the left side of the other; backwards, below both. */
function curve(from: GraphPlace, to: GraphPlace): string {
  const [x, y] = [leftOf(from) + BOX.width, topOf(from) + BOX.height / 2];
  const [endX, endY] = [leftOf(to), topOf(to) + BOX.height / 2];
  if (to.column > from.column) {
    const half = GAP.x / 2;
    return `M${x} ${y}C${x + half} ${y} ${endX - half} ${endY} ${endX} ${endY}`;
  }
  const low = Math.max(topOf(from), topOf(to)) + BOX.height + GAP.y / 2;
  return `M${x} ${y}C${x + GAP.x} ${low} ${endX - GAP.x} ${low} ${endX} ${endY}`;
}

/** What each kind of line stands for. */
export function LegendOfGraph() {
  return (
    <ul className={css["legend"]}>
      <li>
        <Sample isWaiting /> Its release waits for the other
      </li>
      <li>
        <Sample isWaiting={false} /> A variable has the other's address
      </li>
    </ul>
  );
}

function Sample({ isWaiting }: { readonly isWaiting: boolean }) {
  return (
    <svg width="36" height="10" aria-hidden="true">
      <path d="M0 5H36" className={`${css["line"]} ${isWaiting ? css["waiting"] : ""}`} />
    </svg>
  );
}

/** What a node is called in the table. */
export function nameOf(nodes: readonly GraphNode[], id: string): string {
  return id === ENVIRONMENT ? "every service" : (nodes.find((node) => node.id === id)?.name ?? id);
}
