import { Page } from "../frame/Frame.js";
import { t } from "../texts/index.js";

const LISTS = [3, 2, 4, 1];

/** The geometry of a board while it is read. */
export const Skeleton = () => (
  <Page heading={t.loading}>
    <div className="lists" aria-hidden="true">
      {LISTS.map((cards, list) => (
        <div className="list" key={list}>
          <div className="list-head">
            <span className="bone line" />
          </div>
          <div className="cards">
            {Array.from({ length: cards }, (_, card) => (
              <div className="card" key={card}>
                <span className="bone" />
                <span className="bone line" />
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  </Page>
);
