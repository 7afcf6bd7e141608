import { useId, useState } from "react";
import type { GraphNode } from "../../../sdk/src/generated/types.ts";
import { ENVIRONMENT, type GraphLine, type GraphPicture, type GraphPlace } from "../api/environment-graph.ts";
import { Link } from "../components/link.tsx";
import { tellServiceType } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import css from "./graph-picture.module.css";
import { StateOf } from "./graph-state.tsx";

/** In pixels, as the styles have them. */
const BOX = { width: 232, height: 84 };
const GAP = { x: 88, y: 20 };

type Props = {
  readonly environmentId: string;
  readonly nodes: readonly GraphNode[];
  readonly picture: GraphPicture;
};

/** Services as boxes, with an arrow to each that they refer to. What it says is in the table below it too. */
export function PictureOfGraph({ environmentId, nodes, picture }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const arrow = useId();
  const { places, lines, columns, rows } = picture;
  const placeOf = new Map(places.map((place) => [place.id, place]));
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const width = columns * (BOX.width + GAP.x) - GAP.x;
  const height = rows * (BOX.height + GAP.y) - GAP.y;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what is wider than the page is moved by keys
    <div className={css["box"]} role="group" aria-label="Picture of the services" tabIndex={0}>
      <div className={css["picture"]} style={{ width, height }}>
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
  );
}

/** @param props.node null: the variables of the environment */
function Box({ environmentId, node }: { readonly environmentId: string; readonly node: GraphNode | null }) {
  if (node === null)
    return (
      <>
        <Link to={paths.environmentVariables(environmentId)}>Variables of the environment</Link>
        <small>all services get them</small>
      </>
    );
  return (
    <>
      <Link to={paths.service(node.id)}>{node.name}</Link>
      <small>{tellServiceType(node.type)}</small>
      <StateOf serviceId={node.id} />
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

/** Says which line is which. */
export function LegendOfGraph() {
  return (
    <ul className={css["legend"]}>
      <li>
        <Sample isWaiting /> its release waits for the other
      </li>
      <li>
        <Sample isWaiting={false} /> a variable has the other's address
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
